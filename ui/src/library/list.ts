// The library's list: a page at a time from the server, kept as one list that survives refreshing its head.
import { type QueryClient, queryOptions } from '@tanstack/react-query'
import { get, type View } from '../api/client'
import type { Filters } from '../route'

export type Document = View<'DocumentView'>

export interface List {
  documents: Document[]
  nextCursor: string | null
  total: number
}

/** What a document calls itself, where that says more than its name. A table has no title, only its first row. */
export function titleOf({ title, name }: Document): string | null {
  return title && title !== name && !title.startsWith('|') ? title : null
}

/** A small first page paints soon; further pages are large, so that a long scroll asks seldom. */
const FIRST = 100
const FURTHER = 500

export function listKey(filters: Filters) {
  return ['documents', filters.status, filters.kind, filters.q] as const
}

export function listQuery(client: QueryClient, filters: Filters) {
  return queryOptions({
    queryKey: listKey(filters),
    queryFn: async ({ signal }) => {
      const head = await page(filters, null, FIRST, signal)
      const known = client.getQueryData<List>(listKey(filters))
      return known ? refreshed(known, head) : head
    },
  })
}

/** Ask for the page after the last one known; asking twice at once asks once. */
export async function more(client: QueryClient, filters: Filters): Promise<void> {
  const key = listKey(filters)
  const cursor = client.getQueryData<List>(key)?.nextCursor
  if (!cursor || asking.has(cursor)) return
  asking.add(cursor)
  try {
    const next = await page(filters, cursor, FURTHER)
    client.setQueryData<List>(key, (known) => (known?.nextCursor === cursor ? extended(known, next) : known))
  } finally {
    asking.delete(cursor)
  }
}

const asking = new Set<string>()

async function page(filters: Filters, cursor: string | null, limit: number, signal?: AbortSignal): Promise<List> {
  const answer = await get('/documents', {
    query: {
      limit,
      ...(cursor === null ? {} : { cursor }),
      ...(filters.q ? { q: filters.q } : {}),
      ...(filters.status ? { status: filters.status as 'FAILED' } : {}),
      ...(filters.kind ? { kind: filters.kind as 'call' } : {}),
    },
    ...(signal ? { signal } : {}),
  })
  return { documents: answer.documents, nextCursor: answer.next_cursor, total: answer.total }
}

/**
 * The list with a newer head. What the head covers is taken from it (so that documents deleted elsewhere go),
 * what lies below stays. When so much is new that the two no longer touch, the list starts anew from the head.
 */
export function refreshed(known: List, head: List): List {
  const last = head.documents[head.documents.length - 1]
  if (last === undefined || head.nextCursor === null) return head
  const joint = known.documents.findIndex((document) => document.id === last.id)
  if (joint === -1) return head
  return {
    documents: [...head.documents, ...known.documents.slice(joint + 1)],
    nextCursor: joint + 1 < known.documents.length ? known.nextCursor : head.nextCursor,
    total: head.total,
  }
}

export function extended(known: List, next: List): List {
  const there = new Set(known.documents.map((document) => document.id))
  return {
    documents: [...known.documents, ...next.documents.filter((document) => !there.has(document.id))],
    nextCursor: next.nextCursor,
    total: next.total,
  }
}

export function withArrival(known: List, arrival: Document): List {
  if (known.documents.some((document) => document.id === arrival.id)) return withChange(known, arrival)
  return { ...known, documents: [arrival, ...known.documents], total: known.total + 1 }
}

export function withChange(known: List, changed: Document): List {
  return { ...known, documents: known.documents.map((document) => (document.id === changed.id ? changed : document)) }
}

export function without(known: List, id: string): List {
  const documents = known.documents.filter((document) => document.id !== id)
  return { ...known, documents, total: known.total - (known.documents.length - documents.length) }
}

/** Change every list that is kept, whatever its filters. */
export function changeLists(client: QueryClient, change: (list: List) => List): void {
  client.setQueriesData<List>({ queryKey: ['documents'] }, (list) => list && change(list))
}

/** A document has come: it goes to the top of the lists it belongs to. */
export function arrived(client: QueryClient, document: Document): void {
  for (const [key, list] of client.getQueriesData<List>({ queryKey: ['documents'] })) {
    const [, status, kind, q] = key as ReturnType<typeof listKey>
    const belongs =
      (!status || status === document.status) &&
      (!kind || kind === document.kind) &&
      (!q || document.name.toLowerCase().includes(q.toLowerCase()))
    const known = list?.documents.some((one) => one.id === document.id)
    if (list && (belongs || known)) client.setQueryData<List>(key, withArrival(list, document))
  }
}
