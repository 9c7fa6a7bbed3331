// Learns that the library changed: one request that the server answers when something changed, or after 10 s with 304.
import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { createStore, useStore } from '../parts/store'
import type { View } from './client'
import { connection, markReachable, markUnreachable } from './connection'
import { authorization } from './key'
import { apiUrl } from './url'

export type Changes = View<'LibraryActivityView'>

/** Seconds for which the server holds a request: six requests a minute while nothing changes. */
const WAIT_SECONDS = 10
/** Milliseconds between two requests while documents change, and after an error. */
const PAUSE = 1_000
const ERROR_PAUSE = 5_000

const current = createStore<Changes | null>(null)

/** The newest answer, kept up to date while the component is shown and the tab is visible. */
export function useChanges(): Changes | null {
  const client = useQueryClient()
  useEffect(() => follow(client), [client])
  return useStore(current)
}

function follow(client: QueryClient): () => void {
  const stop = new AbortController()
  void loop(client, stop.signal)
  return () => stop.abort()
}

async function loop(client: QueryClient, signal: AbortSignal): Promise<void> {
  let tag: string | null = null
  while (!signal.aborted) {
    await visible(signal)
    let pause = PAUSE
    try {
      const answer: Response = await fetch(apiUrl(`/changes?wait=${WAIT_SECONDS}`), {
        headers: { ...authorization(), ...(tag === null ? {} : { 'If-None-Match': tag }) },
        cache: 'no-store',
        signal,
      })
      if (answer.ok) {
        markReachable()
        tag = answer.headers.get('etag')
        apply(client, (await answer.json()) as Changes)
      } else if (answer.status === 304) {
        markReachable()
        pause = 0
      } else pause = ERROR_PAUSE
    } catch {
      if (!signal.aborted) markUnreachable()
      pause = ERROR_PAUSE
    }
    await sleep(pause, signal)
  }
}

function apply(client: QueryClient, changes: Changes): void {
  const before = current.get()
  current.set(changes)
  // Without an earlier answer the list was fetched just now, unless the connection was lost in between.
  if (before === null || before.version === changes.version) return
  void client.invalidateQueries({ queryKey: ['documents'] })
}

/** Resolves when the tab is visible. */
function visible(signal: AbortSignal): Promise<void> {
  if (!document.hidden) return Promise.resolve()
  return new Promise((resolve) => {
    const listen = () => {
      if (document.hidden && !signal.aborted) return
      document.removeEventListener('visibilitychange', listen)
      resolve()
    }
    document.addEventListener('visibilitychange', listen)
    signal.addEventListener('abort', listen)
  })
}

function sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const unsubscribe = connection.subscribe(() => {
      if (connection.get().state === 'online') end()
    })
    const timer = setTimeout(end, milliseconds)
    signal.addEventListener('abort', end)
    function end() {
      clearTimeout(timer)
      unsubscribe()
      resolve()
    }
  })
}
