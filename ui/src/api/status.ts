// Statuses of documents: one cache entry each, filled by single and by bulk requests.
import { type QueryClient, queryOptions, useQuery } from '@tanstack/react-query'
import { api, unwrap, type View } from './client'

export type Status = View<'StatusView'>

export const isProcessing = (status: string | undefined) => status === 'PROCESSING'

/** Milliseconds between polls of a completed document whose follow-up stage (connect) is not done. */
const FOLLOW_UP_INTERVAL = 3_000

/** Whether a completed document still has a stage to do, such as connect. */
export function hasPendingFollowUp(status: Status): boolean {
  return status.status === 'COMPLETED' && status.stages.some((stage) => ['PENDING', 'PROCESSING'].includes(stage.status))
}

/** Milliseconds until the next poll, as the server asks; null when the status will not change by itself. */
export function pollDelay(status: Status): number | null {
  return status.poll_after_ms ?? (hasPendingFollowUp(status) ? FOLLOW_UP_INTERVAL : null)
}

export function statusKey(id: string) {
  return ['status', id] as const
}

/** The status of one document, polled as often as the server asks. */
export function statusQuery(id: string) {
  return queryOptions({
    queryKey: statusKey(id),
    queryFn: ({ signal }) => fetchStatus(id, signal),
    refetchInterval: (query) => (query.state.data && pollDelay(query.state.data)) ?? false,
  })
}

/** The cached status, without a request: library/feed.ts fetches the statuses of the visible rows. */
export function useCachedStatus(id: string): Status | undefined {
  return useQuery({ ...statusQuery(id), refetchInterval: false, enabled: false }).data
}

export function fetchStatus(id: string, signal: AbortSignal | null = null): Promise<Status> {
  return unwrap(api.GET('/documents/{document_id}/status', { params: { path: { document_id: id } }, signal }))
}

export async function fetchStatuses(client: QueryClient, ids: string[], signal: AbortSignal | null = null): Promise<Status[]> {
  const query = { ids: ids.join(',') }
  const statuses = await unwrap(api.GET('/documents/status', { params: { query }, signal }))
  for (const status of statuses) client.setQueryData(statusKey(status.document_id), status)
  return statuses
}
