// The server's clock: "until 14:05" is said in its time, and the reader's clock may be wrong.

let ahead = 0

export function serverNow(): number {
  return Date.now() + ahead
}

/** HTTP dates are whole seconds, so a difference of less than two is no difference. */
export function noteServerDate(header: string | null, now = Date.now()): void {
  const said = header === null ? NaN : Date.parse(header)
  if (Number.isNaN(said)) return
  const difference = said - now
  ahead = Math.abs(difference) < 2_000 ? 0 : difference
}
