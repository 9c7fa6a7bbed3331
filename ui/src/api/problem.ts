// What can go wrong with a request, said so that a person can act on it.

/** The server answered, with RFC 9457 problem details. */
export class Problem extends Error {
  constructor(
    readonly status: number,
    readonly title: string,
    readonly detail: string,
    readonly action: string,
  ) {
    super(detail)
  }
}

/** The server did not answer at all. */
export class Unreachable extends Error {
  constructor() {
    super('The server does not answer.')
  }
}

export function problemFrom(status: number, body: unknown): Problem {
  const said = (typeof body === 'object' && body !== null ? body : {}) as Record<string, unknown>
  const text = (name: string, otherwise: string) => (typeof said[name] === 'string' ? said[name] : otherwise)
  return new Problem(
    status,
    text('title', 'The request failed'),
    text('detail', `The server answered ${status}.`),
    text('action', 'Try again.'),
  )
}

/** One sentence for a person, whatever was thrown. */
export function sentence(error: unknown): string {
  if (error instanceof Problem) return error.detail
  if (error instanceof Unreachable) return error.message
  return 'Something unexpected went wrong in this page. Reloading it may help.'
}

/** What a proxy says when the server behind it is away. */
export function meansAway(status: number, type: string | null): boolean {
  return [502, 503, 504].includes(status) && !(type ?? '').includes('json')
}
