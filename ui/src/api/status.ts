// Statuses of documents: one cached value for each, filled by single and by many-at-once requests alike.
import { type QueryClient, queryOptions, useQuery } from '@tanstack/react-query'
import { get, type View } from './client'

export type Status = View<'StatusView'>

export const isGoing = (status: string | undefined) => status === 'PROCESSING'

/** How often a ready document is looked at whose connections are still sought. */
const FOLLOW_UP = 3_000

/** Whether something is still being done for a document that is ready. */
export function isFollowed(status: Status): boolean {
  return status.status === 'COMPLETED' && status.stages.some(({ status: one }) => one === 'PENDING' || one === 'PROCESSING')
}

/** When to ask again: as the server wishes, and never when nothing will change by itself. */
export function askAgain(status: Status): number | null {
  return status.poll_after_ms ?? (isFollowed(status) ? FOLLOW_UP : null)
}

export function statusKey(id: string) {
  return ['status', id] as const
}

/** A document's status, asked for as often as the server says. */
export function statusQuery(id: string) {
  return queryOptions({
    queryKey: statusKey(id),
    queryFn: ({ signal }) => get('/documents/{document_id}/status', { path: { document_id: id }, signal }),
    refetchInterval: (query) => (query.state.data && askAgain(query.state.data)) ?? false,
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
