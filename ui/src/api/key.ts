// The API key, stored in this browser only.
import { createStore } from '../parts/store'

const STORAGE_KEY = 'towpath.key'

export interface KeyState {
  key: string | null
  /** Whether the user must enter a key: `missing` if none was sent, `unknown` if the server does not know the one sent. */
  required: 'no' | 'missing' | 'unknown'
}

export const keys = createStore<KeyState>({ key: storedKey(), required: 'no' })

export function saveKey(key: string): void {
  localStorage.setItem(STORAGE_KEY, key)
  keys.set({ key, required: 'no' })
}

export function removeKey(): void {
  localStorage.removeItem(STORAGE_KEY)
  keys.set({ key: null, required: 'missing' })
}

/** The server answered 401. */
export function requireKey(keySent: boolean): void {
  keys.set({ key: keys.get().key, required: keySent ? 'unknown' : 'missing' })
}

export function authorization(): Record<string, string> {
  const { key } = keys.get()
  return key === null ? {} : { Authorization: `Bearer ${key}` }
}

function storedKey(): string | null {
  return typeof localStorage === 'undefined' ? null : localStorage.getItem(STORAGE_KEY)
}
