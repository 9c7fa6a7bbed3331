// Connections: pairs of similar chunks in two documents.
import { type InfiniteData, type QueryClient, useInfiniteQuery } from '@tanstack/react-query'
import { api, nullIfMissing, unwrap } from '../api/client'

interface Side {
  chunk_id: string
  text: string
  anchor: Record<string, unknown>
}

export const KINDS = ['edition', 'quotation', 'same_subject', 'same_entity'] as const
export type Kind = (typeof KINDS)[number]

export interface Connection {
  id: string
  score: number
  kind: Kind
  similarity: number | null
  shared_terms: string[]
  shared_identifiers: string[]
  pinned: boolean
  hidden: boolean
  this: Side
  other: Side & { document_id: string; document_name: string | null }
}

/** One page of connections; null if the server has no connections for the document. */
type Page = Connection[] | null

/** Enough for most documents. */
const PAGE_SIZE = 200

/** The connections fetched so far, and a function that fetches more if there may be more. */
export function useConnections(id: string) {
  const { data, hasNextPage, fetchNextPage } = useInfiniteQuery({
    queryKey: ['connections', id],
    queryFn: ({ pageParam, signal }) => fetchPage(id, pageParam, signal),
    initialPageParam: null as string | null,
    getNextPageParam: (last) => nextCursor(last),
  })
  return { connections: data && mergePages(data.pages), more: hasNextPage ? () => void fetchNextPage() : null }
}

async function fetchPage(id: string, after: string | null, signal: AbortSignal): Promise<Page> {
  const params = { path: { document_id: id }, query: { limit: PAGE_SIZE, ...(after === null ? {} : { after }) } }
  return nullIfMissing(unwrap(api.GET('/documents/{document_id}/connections', { params, signal }))) as Promise<Page>
}

/** The cursor of the next page; null after a page that is not full. */
export function nextCursor(last: Page, size = PAGE_SIZE): string | null {
  return last?.length === size ? last[size - 1]!.id : null
}

/** All pages as one list, each connection once: one may move to another page between two requests. */
export function mergePages(pages: readonly Page[]): Page {
  if (pages[0] === null) return null
  return [...new Map(pages.flatMap((page) => page ?? []).map((connection) => [connection.id, connection])).values()]
}

/** Pins or hides a connection. */
export async function markConnection(
  client: QueryClient,
  documentId: string,
  connection: Connection,
  change: { pinned?: boolean; hidden?: boolean },
): Promise<void> {
  const params = { path: { connection_id: connection.id } }
  await unwrap(api.PATCH('/connections/{connection_id}', { params, body: change }))
  const update = (other: Connection) => (other.id === connection.id ? { ...other, ...change } : other)
  client.setQueryData<InfiniteData<Page, string | null>>(['connections', documentId], (cached) =>
    cached && { ...cached, pages: cached.pages.map((page) => page && page.map(update)) },
  )
}

/** The text of a chunk without its leading headings, which the link above it shows. */
export function withoutHeadings(text: string): string {
  return text.replace(/^(?:#{1,6}[ \t][^\n]*(?:\n+|$))+/, '') || text
}

export const KIND_LABELS: Record<Kind, string> = {
  edition: 'Editions',
  quotation: 'Common text',
  same_subject: 'Same subject',
  same_entity: 'Same number or name',
}

/** Why two passages are connected, in words. */
export function reasonText({ kind, shared_terms, shared_identifiers }: Connection): string {
  const parts = kind === 'quotation' ? ['Common text'] : []
  if (shared_identifiers.length) parts.push(`Shared identifiers: ${shared_identifiers.join(', ')}`)
  if (shared_terms.length) parts.push(`Shared terms: ${shared_terms.join(', ')}`)
  return parts.join('. ') || 'Similar meaning'
}

/** The connections with one other document, best first. */
export interface ConnectionGroup {
  documentId: string
  name: string | null
  connections: Connection[]
}

/** Groups by document: the documents and their connections pinned first, then by score. */
export function groupConnections(
  connections: readonly Connection[],
  { withHidden, kind }: { withHidden: boolean; kind: Kind | null },
): ConnectionGroup[] {
  const groups = new Map<string, ConnectionGroup>()
  const shown = connections
    .filter((connection) => (withHidden || !connection.hidden) && (kind === null || connection.kind === kind))
    .sort((a, b) => Number(b.pinned) - Number(a.pinned) || b.score - a.score)
  for (const connection of shown) {
    const { document_id: documentId, document_name: name } = connection.other
    const group = groups.get(documentId) ?? { documentId, name, connections: [] }
    group.connections.push(connection)
    groups.set(documentId, group)
  }
  return [...groups.values()]
}
