// Passages of other documents that speak of the same thing.
import { type InfiniteData, type QueryClient, useInfiniteQuery } from '@tanstack/react-query'
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

/** What the server tells at once; a server without connections tells null. */
type Page = Connection[] | null

/** Enough for most documents; two editions of a book have thousands. */
const AT_ONCE = 200

/** The connections known so far, and the way to further ones where there may be some. */
export function useConnections(id: string) {
  const { data, hasNextPage, fetchNextPage } = useInfiniteQuery({
    queryKey: ['connections', id],
    queryFn: ({ pageParam, signal }) => page(id, pageParam, signal),
    initialPageParam: null as string | null,
    getNextPageParam: (last) => lastOfMany(last),
  })
  return { connections: data && joined(data.pages), more: hasNextPage ? () => void fetchNextPage() : null }
}

async function page(id: string, after: string | null, signal: AbortSignal): Promise<Page> {
  try {
    const answer = await request(place(fill('/documents/{id}/connections', { id }), { limit: AT_ONCE, after }), { signal })
    return (await answer.json()) as Connection[]
  } catch (error) {
    if (error instanceof Problem && error.status === 404) return null
    throw error
  }
}

/** Where to go on: a full page has perhaps another behind it. */
export function lastOfMany(last: Page, size = AT_ONCE): string | null {
  return last?.length === size ? last[size - 1]!.id : null
}

/** All pages as one list; what moved from one to another meanwhile stands there once. */
export function joined(pages: readonly Page[]): Page {
  if (pages[0] === null) return null
  return [...new Map(pages.flatMap((one) => one ?? []).map((one) => [one.id, one])).values()]
}

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
  const changed = (one: Connection) => (one.id === connection.id ? { ...one, ...change } : one)
  client.setQueryData<InfiniteData<Page, string | null>>(['connections', documentId], (known) =>
    known && { ...known, pages: known.pages.map((one) => one && one.map(changed)) },
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
