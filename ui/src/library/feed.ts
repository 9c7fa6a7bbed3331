// Keeps the rows in sight up to date: one request for all of them, as often as the server wishes, none when
// nothing moves or the tab is hidden. What is out of sight costs nothing, however large the library is.
import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { get } from '../api/client'
import { Problem } from '../api/problem'
import { askAgain, fetchStatuses, isFollowed, isGoing, type Status, statusKey } from '../api/status'
import { changeLists, type Document, withChange, without } from './list'

const SOONEST = 500
const LATEST = 15_000
/** Rows fly past while scrolling; ask for those that stay. */
const SETTLE = 80

/** The rows to ask about: those that move, and those whose status is unknown or out of date. */
export function wanted(rows: readonly Document[], known: (id: string) => Status | undefined): string[] {
  const moves = (row: Document) => {
    const status = known(row.id)
    return isGoing(row.status) || status?.status !== row.status || isFollowed(status)
  }
  return rows.filter(moves).map((row) => row.id)
}

/** When to ask again: as soon as the most impatient row wishes; never when no row moves. */
export function nextPoll(statuses: readonly Status[]): number | false {
  const wishes = statuses.map(askAgain).filter((wish) => wish !== null)
  return wishes.length ? Math.max(SOONEST, Math.min(LATEST, ...wishes)) : false
}

export function useStatusFeed(rows: readonly Document[]): void {
  const client = useQueryClient()
  const known = (id: string) => client.getQueryData<Status>(statusKey(id))
  const sight = useRef(rows)
  sight.current = rows
  const { refetch } = useQuery({
    queryKey: ['feed'],
    queryFn: async ({ signal }) => {
      const ids = wanted(sight.current, known)
      if (!ids.length) return []
      const statuses = await fetchStatuses(client, ids, signal)
      await Promise.all(settled(sight.current, statuses).map((id) => renew(client, id)))
      const found = new Set(statuses.map((status) => status.document_id))
      for (const id of ids) if (!found.has(id)) changeLists(client, (list) => without(list, id))
      return statuses
    },
    refetchInterval: (query) => nextPoll(query.state.data ?? []),
    staleTime: 0,
    gcTime: 0,
  })
  const fresh = wanted(rows, known).join()
  useEffect(() => {
    if (!fresh) return
    const timer = setTimeout(() => void refetch(), SETTLE)
    return () => clearTimeout(timer)
  }, [fresh, refetch])
}

/** Rows whose status is not what their row in the list says: they have ended, or begun anew. */
export function settled(rows: readonly Document[], statuses: readonly Status[]): string[] {
  const now = new Map(statuses.map((status) => [status.document_id, status.status]))
  return rows.filter((row) => now.has(row.id) && now.get(row.id) !== row.status).map((row) => row.id)
}

/** Read one document again, wherever it is listed. */
export async function renew(client: QueryClient, id: string): Promise<void> {
  try {
    const document = await get('/documents/{document_id}', { path: { document_id: id } })
    client.setQueryData(['document', id], document)
    changeLists(client, (list) => withChange(list, document))
  } catch (error) {
    if (error instanceof Problem && error.status === 404) changeLists(client, (list) => without(list, id))
    else throw error
  }
}
