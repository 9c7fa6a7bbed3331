// Short news that goes away by itself, also read out by screen readers.
import { useEffect } from 'react'
import { createStore, useStore } from './store'

const news = createStore<{ text: string; at: number } | null>(null)
const STAYS = 6_000

export function announce(text: string): void {
  news.set({ text, at: Date.now() })
}

export function News() {
  const now = useStore(news)
  useEffect(() => {
    if (!now) return
    const timer = setTimeout(() => news.set(null), STAYS)
    return () => clearTimeout(timer)
  }, [now])
  return (
    <div className="news" role="status" aria-live="polite">
      {now && <p>{now.text}</p>}
    </div>
  )
}
