// The current server time for countdowns, updated every second while the page is visible.
import { useEffect, useState } from 'react'
import { serverNow } from '../api/clock'

export function useNow(ticking: boolean): number {
  const [now, setNow] = useState(serverNow)
  useEffect(() => {
    setNow(serverNow())
    if (!ticking) return
    const timer = setInterval(() => {
      if (!document.hidden) setNow(serverNow())
    }, 1_000)
    return () => clearInterval(timer)
  }, [ticking])
  return now
}
