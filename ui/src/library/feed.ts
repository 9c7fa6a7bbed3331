// Polls the statuses of the visible rows: one request for all of them, as often as the server asks, and none while
// nothing changes or the tab is hidden. Rows that are not visible are not polled, however large the library is.
import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { api, unwrap } from '../api/client'
import { Problem } from '../api/problem'
import { fetchStatuses, hasPendingFollowUp, isProcessing, pollDelay, type Status, statusKey } from '../api/status'
import { refreshFacets } from './filter'
import { type Document, updateLists, withoutDocument, withUpdate } from './list'

const MIN_INTERVAL = 500
const MAX_INTERVAL = 15_000
/** Milliseconds that a row must stay visible before it is polled; scrolling passes many rows. */
const SCROLL_DELAY = 80

/** The rows that are processing, and those whose cached status is missing or out of date. */
export function idsToPoll(rows: readonly Document[], cached: (id: string) => Status | undefined): string[] {
  const isDue = (row: Document) => {
    const status = cached(row.id)
    return isProcessing(row.status) || status?.status !== row.status || hasPendingFollowUp(status)
  }
  return rows.filter(isDue).map((row) => row.id)
}

/** Milliseconds until the next poll: the shortest delay of any row; false when no row will change by itself. */
export function nextPoll(statuses: readonly Status[]): number | false {
  const delays = statuses.map(pollDelay).filter((delay) => delay !== null)
  return delays.length ? Math.max(MIN_INTERVAL, Math.min(MAX_INTERVAL, ...delays)) : false
}

export function useStatusFeed(rows: readonly Document[]): void {
  const client = useQueryClient()
  const cached = (id: string) => client.getQueryData<Status>(statusKey(id))
  const visible = useRef(rows)
  visible.current = rows
  const { refetch } = useQuery({
    queryKey: ['feed'],
    queryFn: async ({ signal }) => {
      const ids = idsToPoll(visible.current, cached)
      if (!ids.length) return []
      const statuses = await fetchStatuses(client, ids, signal)
      await Promise.all(changedIds(visible.current, statuses).map((id) => refetchDocument(client, id)))
      const existing = new Set(statuses.map((status) => status.document_id))
      for (const id of ids) if (!existing.has(id)) updateLists(client, (list) => withoutDocument(list, id))
      return statuses
    },
    refetchInterval: (query) => nextPoll(query.state.data ?? []),
    staleTime: 0,
    gcTime: 0,
  })
  const due = idsToPoll(rows, cached).join()
  useEffect(() => {
    if (!due) return
    const timer = setTimeout(() => void refetch(), SCROLL_DELAY)
    return () => clearTimeout(timer)
  }, [due, refetch])
}

/** Documents whose status differs from their row in the list. */
export function changedIds(rows: readonly Document[], statuses: readonly Status[]): string[] {
  const current = new Map(statuses.map((status) => [status.document_id, status.status]))
  return rows.filter((row) => current.has(row.id) && current.get(row.id) !== row.status).map((row) => row.id)
}

/** Fetches one document again and updates it in all lists. */
export async function refetchDocument(client: QueryClient, id: string): Promise<void> {
  try {
    const document = await unwrap(api.GET('/documents/{document_id}', { params: { path: { document_id: id } } }))
    client.setQueryData(['document', id], document)
    refreshFacets(client)
    updateLists(client, (list) => withUpdate(list, document))
  } catch (error) {
    if (error instanceof Problem && error.status === 404) updateLists(client, (list) => withoutDocument(list, id))
    else throw error
  }
}
