// The answers of the search: pages of results, and completions of what is being typed.
import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { api, unwrap, type View } from '../api/client'
import type { SearchRoute } from '../route'

/** openapi-fetch widens the tuples of `highlights` to arrays. */
export type Hit = Omit<View<'HitView'>, 'highlights'> & { highlights: number[][] }
export type Results = Pick<View<'SearchView'>, 'total' | 'exact_total' | 'documents'>

const PAGE = 20
/** The server pages no further. */
const MAX_OFFSET = 10_000

/** Inside of one document every passage is a result; else the best passage of each document. */
const isGrouped = (route: SearchRoute) => route.document === null

export function searchParameters(route: SearchRoute, offset: number) {
  const { q, mode, kind, document, language, type, year, collection, tag } = route
  return {
    q,
    mode,
    limit: PAGE,
    offset,
    prefix: true,
    facets: offset === 0,
    group: isGrouped(route),
    ...(kind ? { kind: kind as 'call' } : {}),
    ...(document ? { document_id: document } : {}),
    ...(language ? { language: [language] } : {}),
    ...(type ? { media_type: type.split(',') } : {}),
    ...(collection ? { collection: [collection] } : {}),
    ...(tag ? { tag: [tag] } : {}),
    ...(year ? { created_from: `${year}-01-01T00:00:00Z`, created_before: `${Number(year) + 1}-01-01T00:00:00Z` } : {}),
  }
}

export function useSearch(route: SearchRoute) {
  const { q, mode, kind, document, language, type, year, collection, tag } = route
  return useInfiniteQuery({
    queryKey: ['search', q, mode, kind, document, language, type, year, collection, tag],
    queryFn: ({ signal, pageParam }) =>
      unwrap(api.GET('/search', { params: { query: searchParameters(route, pageParam) }, signal })),
    initialPageParam: 0,
    getNextPageParam: (last, _, offset) =>
      last.hits.length === PAGE && offset + PAGE <= MAX_OFFSET ? offset + PAGE : undefined,
    enabled: q.trim() !== '',
    staleTime: 10_000,
    placeholderData: keepPreviousData,
  })
}

/** Queries and document names that complete the text. */
export function useSuggestions(text: string): string[] {
  const { data } = useQuery({
    queryKey: ['suggest', text],
    queryFn: ({ signal }) => unwrap(api.GET('/search/suggest', { params: { query: { q: text } }, signal })),
    enabled: text.trim().length > 1,
    staleTime: 60_000,
  })
  return data ? [...data.queries, ...data.documents.map((document) => document.name)] : []
}

/** “1,204 passages in 87 documents”. */
export function resultCount(results: Results, route: SearchRoute): string {
  const passages = `${results.total.toLocaleString('en')}${results.exact_total ? '' : '+'} passage${results.total === 1 ? '' : 's'}`
  if (route.document) return passages
  return `${passages} in ${results.documents.toLocaleString('en')} document${results.documents === 1 ? '' : 's'}`
}
