// Errors of a request, each with a text for the user.

/** An error answer of the server: RFC 9457 problem details. */
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

/** The server did not answer. */
export class Unreachable extends Error {
  constructor() {
    super('The server does not answer.')
  }
}

export function problemFrom(status: number, body: unknown): Problem {
  const fields = (typeof body === 'object' && body !== null ? body : {}) as Record<string, unknown>
  const text = (name: string, fallback: string) => (typeof fields[name] === 'string' ? fields[name] : fallback)
  return new Problem(
    status,
    text('title', 'The request failed'),
    text('detail', `The server answered ${status}.`),
    text('action', 'Try again.'),
  )
}

/** One sentence for the user about any error. */
export function errorText(error: unknown): string {
  if (error instanceof Problem) return error.detail
  if (error instanceof Unreachable) return error.message
  return 'Unexpected error in this page. Reload it.'
}

/** Whether a proxy answered because the server behind it is down. */
export function isServerAway(status: number, contentType: string | null): boolean {
  return [502, 503, 504].includes(status) && !(contentType ?? '').includes('json')
}
