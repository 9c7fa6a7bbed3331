// The server's clock. Times such as waiting_until are in server time, and the browser's clock may be wrong.

/** Milliseconds by which the server's clock is ahead of the browser's. */
let offset = 0

export function serverNow(): number {
  return Date.now() + offset
}

/** Sets the offset from a Date header. HTTP dates are whole seconds, so a difference below 2 s counts as none. */
export function recordServerDate(header: string | null, now = Date.now()): void {
  const date = header === null ? NaN : Date.parse(header)
  if (Number.isNaN(date)) return
  const difference = date - now
  offset = Math.abs(difference) < 2_000 ? 0 : difference
}
