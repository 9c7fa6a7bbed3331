// The list of documents in the library: pages of the server merged into one cached list.
import { type QueryClient, queryOptions } from '@tanstack/react-query'
import { api, unwrap, type View } from '../api/client'
import type { Filters } from '../route'
import { filterParameters, matchesFilters, refreshFacets, type Sort } from './filter'

export type Document = View<'DocumentView'>

export interface List {
  documents: Document[]
  nextCursor: string | null
  total: number
}

/** The document's title if it differs from the file name. A title that starts with `|` is the first row of a table. */
export function titleOf({ title, name }: Document): string | null {
  return title && title !== name && !title.startsWith('|') ? title : null
}

/** The first page is small so that it is drawn soon; further ones are large so that scrolling needs few requests. */
const FIRST_PAGE_SIZE = 100
const PAGE_SIZE = 500

export function listKey(filters: Filters) {
  return ['documents', filters] as const
}

export function listQuery(client: QueryClient, filters: Filters) {
  return queryOptions({
    queryKey: listKey(filters),
    queryFn: async ({ signal }) => {
      const firstPage = await fetchPage(filters, null, FIRST_PAGE_SIZE, signal)
      const cached = client.getQueryData<List>(listKey(filters))
      return cached ? mergeFirstPage(cached, firstPage) : firstPage
    },
  })
}

/** Fetches the next page; does nothing while the same page is being fetched. */
export async function fetchNextPage(client: QueryClient, filters: Filters): Promise<void> {
  const key = listKey(filters)
  const cursor = client.getQueryData<List>(key)?.nextCursor
  if (!cursor || cursorsInFlight.has(cursor)) return
  cursorsInFlight.add(cursor)
  try {
    const page = await fetchPage(filters, cursor, PAGE_SIZE)
    client.setQueryData<List>(key, (cached) => (cached?.nextCursor === cursor ? appendPage(cached, page) : cached))
  } finally {
    cursorsInFlight.delete(cursor)
  }
}

const cursorsInFlight = new Set<string>()

async function fetchPage(
  filters: Filters,
  cursor: string | null,
  limit: number,
  signal: AbortSignal | null = null,
): Promise<List> {
  const query = {
    limit,
    ...(cursor === null ? {} : { cursor }),
    ...(filters.sort ? { sort: filters.sort as Sort } : {}),
    ...filterParameters(filters),
  }
  const answer = await unwrap(api.GET('/documents', { params: { query }, signal }))
  return { documents: answer.documents, nextCursor: answer.next_cursor, total: answer.total }
}

/**
 * Replaces the part of the cached list that the new first page covers, so that deleted documents disappear, and
 * keeps the rest. If the two have no document in common, the list starts again from the first page.
 */
export function mergeFirstPage(cached: List, firstPage: List): List {
  const last = firstPage.documents[firstPage.documents.length - 1]
  if (last === undefined || firstPage.nextCursor === null) return firstPage
  const overlap = cached.documents.findIndex((document) => document.id === last.id)
  if (overlap === -1) return firstPage
  return {
    documents: [...firstPage.documents, ...cached.documents.slice(overlap + 1)],
    nextCursor: overlap + 1 < cached.documents.length ? cached.nextCursor : firstPage.nextCursor,
    total: firstPage.total,
  }
}

export function appendPage(cached: List, page: List): List {
  const listed = new Set(cached.documents.map((document) => document.id))
  return {
    documents: [...cached.documents, ...page.documents.filter((document) => !listed.has(document.id))],
    nextCursor: page.nextCursor,
    total: page.total,
  }
}

export function withDocument(cached: List, added: Document): List {
  if (cached.documents.some((document) => document.id === added.id)) return withUpdate(cached, added)
  return { ...cached, documents: [added, ...cached.documents], total: cached.total + 1 }
}

export function withUpdate(cached: List, changed: Document): List {
  return { ...cached, documents: cached.documents.map((document) => (document.id === changed.id ? changed : document)) }
}

export function withoutDocument(cached: List, id: string): List {
  const documents = cached.documents.filter((document) => document.id !== id)
  return { ...cached, documents, total: cached.total - (cached.documents.length - documents.length) }
}

/** Updates the cached lists of all filters. */
export function updateLists(client: QueryClient, change: (list: List) => List): void {
  client.setQueriesData<List>({ queryKey: ['documents'] }, (list) => list && change(list))
}

/**
 * Puts an uploaded document at the top of the lists whose filters it matches. A list that is being fetched is fetched
 * again: its answer may be older than the document.
 */
export function addDocument(client: QueryClient, document: Document): void {
  const fetching = client.isFetching({ queryKey: ['documents'] }) > 0
  for (const [key, list] of client.getQueriesData<List>({ queryKey: ['documents'] })) {
    const [, filters] = key as ReturnType<typeof listKey>
    const newestFirst = !filters.sort || filters.sort === '-created'
    const listed = list?.documents.some(({ id }) => id === document.id)
    if (list && (listed || (newestFirst && matchesFilters(document, filters)))) {
      client.setQueryData<List>(key, withDocument(list, document))
    }
  }
  refreshFacets(client)
  // Cancels the requests that are under way.
  if (fetching) void client.invalidateQueries({ queryKey: ['documents'] })
}
