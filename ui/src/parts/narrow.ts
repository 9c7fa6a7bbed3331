// Whether the window is at most 700 px wide, the same limit as in the style sheets.
import { useSyncExternalStore } from 'react'

const query = typeof matchMedia === 'undefined' ? null : matchMedia('(max-width: 700px)')

export function useNarrow(): boolean {
  return useSyncExternalStore(
    (listener) => {
      query?.addEventListener('change', listener)
      return () => query?.removeEventListener('change', listener)
    },
    () => query?.matches ?? false,
  )
}
