// Requests, typed by the generated schema: a path, a parameter or a field that is not there does not compile.
import { noteServerDate } from './clock'
import { answered, silent } from './connection'
import { authorization, keyWanted, keys } from './key'
import { fill, place } from './place'
import { meansAway, problemFrom, Unreachable } from './problem'
import type { components, paths } from './schema'

export type View<Name extends keyof components['schemas']> = components['schemas'][Name]

type Method = 'get' | 'post' | 'delete'
type With<M extends Method> = { [P in keyof paths]: paths[P][M] extends object ? P : never }[keyof paths]
type Parameters<O> = O extends { parameters: infer Given } ? Given : never
type Body<O> = O extends { requestBody?: { content: { 'application/json': infer Sent } } | undefined } ? Sent : never
type Content<R> = R extends { content: { 'application/json': infer Answer } } ? Answer : undefined
type Answer<O> = O extends { responses: infer R } ? Content<R[keyof R & (200 | 202 | 204)]> : never

interface Wish<O> {
  path?: Parameters<O> extends { path?: infer Names } ? Names : never
  query?: Parameters<O> extends { query?: infer Asked } ? Asked : never
  body?: Body<O>
  signal?: AbortSignal
}

export function get<P extends With<'get'>>(path: P, wish: Wish<paths[P]['get']> = {}): Promise<Answer<paths[P]['get']>> {
  return send('GET', path, wish)
}

export function post<P extends With<'post'>>(
  path: P,
  wish: Wish<paths[P]['post']> = {},
): Promise<Answer<paths[P]['post']>> {
  return send('POST', path, wish)
}

export function remove<P extends With<'delete'>>(
  path: P,
  wish: Wish<paths[P]['delete']> = {},
): Promise<Answer<paths[P]['delete']>> {
  return send('DELETE', path, wish)
}

async function send<T>(method: string, path: string, wish: Wish<unknown>): Promise<T> {
  const { path: names, query, body, signal } = wish as {
    path?: Record<string, unknown>
    query?: Record<string, unknown>
    body?: unknown
    signal?: AbortSignal
  }
  const headers: Record<string, string> = body === undefined ? {} : { 'Content-Type': 'application/json' }
  const answer = await request(place(fill(path, names), query), {
    method,
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal ? { signal } : {}),
  })
  return (answer.status === 204 ? undefined : await answer.json()) as T
}

/** Any request of ours: with the key, and with everybody told whether the server is there. */
export async function request(address: string, options: RequestInit = {}): Promise<Response> {
  let answer: Response
  const sentKey = keys.get().key !== null
  try {
    answer = await fetch(address, { ...options, headers: { ...options.headers, ...authorization() } })
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error
    silent()
    throw new Unreachable()
  }
  if (meansAway(answer.status, answer.headers.get('content-type'))) {
    silent()
    throw new Unreachable()
  }
  answered()
  noteServerDate(answer.headers.get('date'))
  if (answer.status === 401) keyWanted(sentKey)
  if (!answer.ok) throw problemFrom(answer.status, await answer.json().catch(() => null))
  return answer
}
