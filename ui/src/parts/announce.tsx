// A message that disappears after 6 s; screen readers read it out.
import { useEffect } from 'react'
import { createStore, useStore } from './store'

const toast = createStore<{ text: string; at: number } | null>(null)
const DURATION = 6_000

export function announce(text: string): void {
  if (!text.trim()) return
  toast.set({ text, at: Date.now() })
}

export function Toast() {
  const current = useStore(toast)
  useEffect(() => {
    if (!current) return
    const timer = setTimeout(() => toast.set(null), DURATION)
    return () => clearTimeout(timer)
  }, [current])
  return (
    <div className="toast" role="status" aria-live="polite">
      {current && <p>{current.text}</p>}
    </div>
  )
}
