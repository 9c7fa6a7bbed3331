// The passwords of locked PDFs that were entered in this page. They are kept in memory only, until the page is closed.
import { createStore, useStore } from '../parts/store'

const passwords = createStore<ReadonlyMap<string, string>>(new Map())

export function rememberPassword(id: string, password: string): void {
  passwords.set(new Map(passwords.get()).set(id, password))
}

export function usePassword(id: string): string | undefined {
  return useStore(passwords).get(id)
}
