// Statuses of documents: one cached value for each, filled by single and by many-at-once requests alike.
import { type QueryClient, queryOptions, useQuery } from '@tanstack/react-query'
import { get, type View } from './client'

export type Status = View<'StatusView'>

export const isGoing = (status: string | undefined) => status === 'PROCESSING'

export function statusKey(id: string) {
  return ['status', id] as const
}

/** A document's status, asked for as often as the server says. */
export function statusQuery(id: string) {
  return queryOptions({
    queryKey: statusKey(id),
    queryFn: ({ signal }) => get('/documents/{document_id}/status', { path: { document_id: id }, signal }),
    refetchInterval: (query) => query.state.data?.poll_after_ms ?? false,
  })
}

/** What is known of a status without asking; rows of the grid are filled by the feed. */
export function useKnownStatus(id: string): Status | undefined {
  return useQuery({ ...statusQuery(id), refetchInterval: false, enabled: false }).data
}

export async function fetchStatuses(client: QueryClient, ids: string[], signal?: AbortSignal): Promise<Status[]> {
  const statuses = await get('/documents/status', { query: { ids: ids.join(',') }, ...(signal ? { signal } : {}) })
  for (const status of statuses) client.setQueryData(statusKey(status.document_id), status)
  return statuses
}
