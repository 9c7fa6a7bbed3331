// The current server time for countdowns and ages, updated while the page is visible.
import { useEffect, useState } from 'react'
import { serverNow } from '../api/clock'

/** `every`: milliseconds between two updates. */
export function useNow(ticking: boolean, every = 1_000): number {
  const [now, setNow] = useState(serverNow)
  useEffect(() => {
    setNow(serverNow())
    if (!ticking) return
    const timer = setInterval(() => {
      if (!document.hidden) setNow(serverNow())
    }, every)
    return () => clearInterval(timer)
  }, [ticking, every])
  return now
}
