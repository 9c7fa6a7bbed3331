// The HTTP client, typed by the generated schema: an unknown path, parameter or field does not compile.
import createClient from 'openapi-fetch'
import { recordServerDate } from './clock'
import { markReachable, markUnreachable } from './connection'
import { authorization, keys, requireKey } from './key'
import { isServerAway, Problem, problemFrom, Unreachable } from './problem'
import type { components, paths } from './schema'

export type View<Name extends keyof components['schemas']> = components['schemas'][Name]

export const api = createClient<paths>({ baseUrl: '.', fetch: request })

/** The body of an answer of `api`, which throws unless the answer is a success. */
export async function unwrap<T>(answer: Promise<{ data?: T }>): Promise<T> {
  return (await answer).data as T
}

/** The result of a request, or null when the server answers 404. */
export async function nullIfMissing<T>(result: Promise<T>): Promise<T | null> {
  try {
    return await result
  } catch (error) {
    if (error instanceof Problem && error.status === 404) return null
    throw error
  }
}

/** `fetch` with the API key. It records whether the server is reachable and throws unless the answer is a success. */
export async function request(input: string | Request, options: RequestInit = {}): Promise<Response> {
  const keySent = keys.get().key !== null
  const headers = new Headers(input instanceof Request ? input.headers : options.headers)
  for (const [name, value] of Object.entries(authorization())) headers.set(name, value)
  let answer: Response
  try {
    answer = await fetch(input, { ...options, headers })
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error
    markUnreachable()
    throw new Unreachable()
  }
  if (isServerAway(answer.status, answer.headers.get('content-type'))) {
    markUnreachable()
    throw new Unreachable()
  }
  markReachable()
  recordServerDate(answer.headers.get('date'))
  if (answer.status === 401) requireKey(keySent)
  if (!answer.ok) throw problemFrom(answer.status, await answer.json().catch(() => null))
  return answer
}
