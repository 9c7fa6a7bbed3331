// Whether the server is reachable. While it is not, one health check at a time runs until it answers.
import { createStore } from '../parts/store'
import { apiUrl } from './url'

export type Connection = { state: 'online' } | { state: 'offline'; since: number; nextCheck: number; checking: boolean }

const FIRST_DELAY = 1_000
const MAX_DELAY = 4_000
/** After 15 s without any answer the page asks for the server's health; an idle page sends no other requests. */
const IDLE_LIMIT = 15_000
const IDLE_CHECK_INTERVAL = 5_000

export const connection = createStore<Connection>({ state: 'online' })

let delay = FIRST_DELAY
let timer: ReturnType<typeof setTimeout> | undefined
let lastAnswerAt = Date.now()

/** Starts the health checks of an idle page; a hidden page sends none. */
export function startHealthChecks(): void {
  setInterval(() => {
    const idle = Date.now() - lastAnswerAt > IDLE_LIMIT
    if (idle && !document.hidden && connection.get().state === 'online') void checkIdle()
  }, IDLE_CHECK_INTERVAL)
}

export function markReachable(): void {
  lastAnswerAt = Date.now()
  if (connection.get().state === 'online') return
  clearTimeout(timer)
  delay = FIRST_DELAY
  connection.set({ state: 'online' })
}

export function markUnreachable(): void {
  if (connection.get().state === 'offline') return
  schedule(Date.now())
}

export function checkNow(): void {
  const current = connection.get()
  if (current.state === 'online' || current.checking) return
  clearTimeout(timer)
  void check(current.since)
}

function schedule(since: number): void {
  connection.set({ state: 'offline', since, nextCheck: Date.now() + delay, checking: false })
  timer = setTimeout(() => void check(since), delay)
  delay = Math.min(MAX_DELAY, delay * 1.6)
}

async function checkIdle(): Promise<void> {
  try {
    await fetch(apiUrl('/health'), { cache: 'no-store', signal: AbortSignal.timeout(10_000) })
    markReachable()
  } catch {
    markUnreachable()
  }
}

async function check(since: number): Promise<void> {
  connection.set({ state: 'offline', since, nextCheck: Date.now(), checking: true })
  try {
    const answer = await fetch(apiUrl('/health'), { cache: 'no-store', signal: AbortSignal.timeout(5_000) })
    if (answer.ok) return markReachable()
  } catch {
    // Still unreachable; the next check is scheduled below.
  }
  schedule(since)
}
