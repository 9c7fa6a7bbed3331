// The row or result that was opened last from a list, so that going back to the list focuses it again. It is kept with
// the tab: a reload of the document does not lose it.
import { readSession, writeSession } from './session'

const KEY = 'towpath.opened'

/** Remembers what is opened from a list, which is named by its address. */
export function rememberOpened(list: string, id: string): void {
  writeSession(KEY, JSON.stringify([list, id]))
}

/** After the row was focused: a reload of the library is no return to it. */
export function forgetOpened(): void {
  writeSession(KEY, '[]')
}

/** The id of what was opened from this list; null if it was opened from another one. */
export function openedFrom(list: string): string | null {
  try {
    const [from, id] = JSON.parse(readSession(KEY) ?? '[]') as string[]
    return from === list ? (id ?? null) : null
  } catch {
    return null
  }
}
