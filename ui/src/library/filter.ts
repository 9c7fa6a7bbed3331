// The filters of the library as requests, and which documents pass them.
import { type QueryClient, queryOptions } from '@tanstack/react-query'
import { api, unwrap, type View } from '../api/client'
import type { operations } from '../api/schema'
import type { Filters } from '../route'

export type Facets = View<'DocumentFacetsView'>
export type DocumentFilter = Partial<View<'DocumentFilter'>>
type ListParameters = NonNullable<operations['list_documents_documents_get']['parameters']['query']>
export type Sort = NonNullable<ListParameters['sort']>

export const NO_FILTERS: Filters = { status: null, kind: null, q: '' }

export const SORTS: readonly [Sort, string][] = [
  ['-created', 'Newest first'],
  ['created', 'Oldest first'],
  ['name', 'Name, A to Z'],
  ['-name', 'Name, Z to A'],
  ['-size', 'Largest first'],
  ['size', 'Smallest first'],
  ['status', 'Status'],
]

/** The filters as query parameters of a list. */
export function filterParameters(filters: Filters): Omit<ListParameters, 'sort' | 'cursor' | 'limit'> {
  const [from, before] = dateRange(filters)
  return {
    ...(filters.q ? { q: filters.q } : {}),
    ...(filters.status ? { status: [filters.status as 'FAILED'] } : {}),
    ...(filters.kind ? { kind: [filters.kind as 'call'] } : {}),
    ...(typeof filters.collection === 'string' ? { collection: [filters.collection] } : {}),
    ...(filters.tags?.length ? { tag: [...filters.tags] } : {}),
    ...(filters.type ? { media_type: filters.type.split(',') } : {}),
    ...(from ? { created_from: from } : {}),
    ...(before ? { created_before: before } : {}),
  }
}

/** The filters as the body of a bulk action or an export. */
export function filterBody(filters: Filters): DocumentFilter {
  const { q, status, kind, collection, tag, media_type, created_from, created_before } = filterParameters(filters)
  return {
    ...(q ? { q } : {}),
    ...(status ? { statuses: status } : {}),
    ...(kind ? { kinds: kind } : {}),
    ...(collection ? { collections: collection } : {}),
    ...(tag ? { tags: tag } : {}),
    ...(media_type ? { media_types: media_type } : {}),
    ...(created_from ? { created_from } : {}),
    ...(created_before ? { created_before } : {}),
  }
}

/** The first moment of the first day and the first moment after the last day, in the time zone of the browser. */
function dateRange({ from, to }: Filters): [string | null, string | null] {
  const start = from ? new Date(`${from}T00:00:00`) : null
  const end = to ? new Date(`${to}T00:00:00`) : null
  end?.setDate(end.getDate() + 1)
  return [start?.toISOString() ?? null, end?.toISOString() ?? null]
}

/** Whether the server would list the document; an answer without a request, for documents that were just uploaded. */
export function matchesFilters(document: View<'DocumentView'>, filters: Filters): boolean {
  const { status, kind, q, collection, tags, type } = filters
  const [from, before] = dateRange(filters)
  const created = Date.parse(document.created_at)
  return (
    (!status || status === document.status) &&
    (!kind || kind === document.kind) &&
    (!q || document.name.toLowerCase().includes(q.toLowerCase())) &&
    (typeof collection !== 'string' || collection === (document.collection ?? '')) &&
    (tags ?? []).every((tag) => document.tags?.includes(tag)) &&
    (!type || type.split(',').includes(document.media_type)) &&
    (!from || created >= Date.parse(from)) &&
    (!before || created < Date.parse(before))
  )
}

let refresh: ReturnType<typeof setTimeout> | undefined

/** Fetches the counts on the pills again, at most once in a second: a batch changes many documents. */
export function refreshFacets(client: QueryClient): void {
  refresh ??= setTimeout(() => {
    refresh = undefined
    void client.invalidateQueries({ queryKey: ['facets'] })
  }, 1_000)
}

/** Milliseconds between two requests for the counts while documents are processing. */
const COUNT_INTERVAL = 5_000

/**
 * The counts on the filter pills. They are fetched again when a visible document changes, and regularly while a
 * document is processing: it may end out of sight, or between the answers for the counts and for the list.
 */
export const facetsQuery = (filters: Filters) => {
  const { sort: _, ...conditions } = filters
  return queryOptions({
    queryKey: ['facets', conditions],
    queryFn: ({ signal }) =>
      unwrap(api.GET('/documents/facets', { params: { query: filterParameters(filters) }, signal })),
    refetchInterval: (query) => (query.state.data?.statuses['PROCESSING'] ? COUNT_INTERVAL : false),
  })
}
