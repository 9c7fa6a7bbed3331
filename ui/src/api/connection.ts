// Whether the server answers. Once it does not, one probe at a time asks until it does again.
import { createStore } from '../parts/store'
import { place } from './place'

export type Connection = { state: 'fine' } | { state: 'lost'; since: number; nextTry: number; trying: boolean }

const FIRST_WAIT = 1_000
const LONGEST_WAIT = 4_000
/** A page at rest asks nothing and would not notice; after so long without a word it asks for a sign of life. */
const QUIET = 15_000
const LOOK = 5_000

export const connection = createStore<Connection>({ state: 'fine' })

let wait = FIRST_WAIT
let timer: ReturnType<typeof setTimeout> | undefined

let heardAt = Date.now()

/** From now on silence is noticed, also while there is nothing to ask; not while nobody looks. */
export function keepListening(): void {
  setInterval(() => {
    const quiet = Date.now() - heardAt > QUIET
    if (quiet && !document.hidden && connection.get().state === 'fine') void listen()
  }, LOOK)
}

export function answered(): void {
  heardAt = Date.now()
  if (connection.get().state === 'fine') return
  clearTimeout(timer)
  wait = FIRST_WAIT
  connection.set({ state: 'fine' })
}

export function silent(): void {
  if (connection.get().state === 'lost') return
  schedule(Date.now())
}

export function tryNow(): void {
  const now = connection.get()
  if (now.state === 'fine' || now.trying) return
  clearTimeout(timer)
  void probe(now.since)
}

function schedule(since: number): void {
  connection.set({ state: 'lost', since, nextTry: Date.now() + wait, trying: false })
  timer = setTimeout(() => void probe(since), wait)
  wait = Math.min(LONGEST_WAIT, wait * 1.6)
}

async function listen(): Promise<void> {
  try {
    await fetch(place('/health'), { cache: 'no-store', signal: AbortSignal.timeout(10_000) })
    answered()
  } catch {
    silent()
  }
}

async function probe(since: number): Promise<void> {
  connection.set({ state: 'lost', since, nextTry: Date.now(), trying: true })
  try {
    const answer = await fetch(place('/health'), { cache: 'no-store', signal: AbortSignal.timeout(5_000) })
    if (answer.ok) return answered()
  } catch {
    // Still silent; the next try is scheduled below.
  }
  schedule(since)
}
