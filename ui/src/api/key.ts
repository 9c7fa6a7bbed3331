// The API key: the only secret this page keeps, and only in this browser.
import { createStore } from '../parts/store'

const PLACE = 'towpath.key'

export interface KeyState {
  key: string | null
  /** Why the server wants one: nothing to ask for, none was sent, or the one sent is not known. */
  wanted: 'no' | 'missing' | 'unknown'
}

export const keys = createStore<KeyState>({ key: read(), wanted: 'no' })

export function enterKey(key: string): void {
  localStorage.setItem(PLACE, key)
  keys.set({ key, wanted: 'no' })
}

export function forgetKey(): void {
  localStorage.removeItem(PLACE)
  keys.set({ key: null, wanted: 'missing' })
}

/** The server turned a request away for want of a (good) key. */
export function keyWanted(sent: boolean): void {
  keys.set({ key: keys.get().key, wanted: sent ? 'unknown' : 'missing' })
}

export function authorization(): Record<string, string> {
  const { key } = keys.get()
  return key === null ? {} : { Authorization: `Bearer ${key}` }
}

function read(): string | null {
  return typeof localStorage === 'undefined' ? null : localStorage.getItem(PLACE)
}
