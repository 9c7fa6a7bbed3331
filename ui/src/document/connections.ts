// Passages of other documents that speak of the same thing.
import { type QueryClient, queryOptions } from '@tanstack/react-query'
import { request } from '../api/client'
import { fill, place } from '../api/place'
import { Problem } from '../api/problem'

interface Side {
  chunk_id: string
  text: string
  anchor: Record<string, unknown>
}

export interface Connection {
  id: string
  score: number
  kind: string
  reason: string
  pinned: boolean
  hidden: boolean
  here: Side
  there: Side & { document_id: string; document_name: string | null }
}

export const connectionsQuery = (id: string) =>
  queryOptions({
    queryKey: ['connections', id],
    queryFn: async ({ signal }): Promise<Connection[] | null> => {
      try {
        const answer = await request(place(fill('/documents/{id}/connections', { id })), { signal })
        return (await answer.json()) as Connection[]
      } catch (error) {
        if (error instanceof Problem && error.status === 404) return null
        throw error
      }
    },
  })

export async function mark(
  client: QueryClient,
  documentId: string,
  connection: Connection,
  change: { pinned?: boolean; hidden?: boolean },
): Promise<void> {
  await request(place(fill('/connections/{id}', { id: connection.id })), {
    method: 'PATCH',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(change),
  })
  client.setQueryData<Connection[] | null>(['connections', documentId], (known) =>
    known?.map((one) => (one.id === connection.id ? { ...one, ...change } : one)),
  )
}

/** A passage without the headings it begins with: the link above it has them. */
export function withoutHeadings(text: string): string {
  return text.replace(/^(?:#{1,6}[ \t][^\n]*(?:\n+|$))+/, '') || text
}

/** Pinned first, then the closest; hidden ones only when asked for. */
export function ordered(connections: readonly Connection[], withHidden: boolean): Connection[] {
  return connections
    .filter((one) => withHidden || !one.hidden)
    .sort((one, other) => Number(other.pinned) - Number(one.pinned) || other.score - one.score)
}
