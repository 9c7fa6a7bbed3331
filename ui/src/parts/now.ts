// The present moment, for countdowns: ticks once a second while somebody looks, in the server's time.
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
