// Query options of the views. A query key is the kind of data, then the document's id.
import { QueryClient, queryOptions } from '@tanstack/react-query'
import { api, nullIfMissing, unwrap } from './client'
import { connection } from './connection'

export function createQueryClient(): QueryClient {
  const client = new QueryClient({
    defaultOptions: {
      queries: {
        // A server on this machine works without a network, so the browser's own network state does not count.
        networkMode: 'always',
        // An unreachable server is checked by api/connection.ts; repeating an answered request gives the same answer.
        retry: false,
        staleTime: 2_000,
      },
      mutations: { networkMode: 'always' },
    },
  })
  let offline = false
  connection.subscribe(() => {
    const reconnected = offline && connection.get().state === 'online'
    offline = connection.get().state === 'offline'
    if (reconnected) void client.refetchQueries({ type: 'active', predicate: (query) => !query.isDisabled() })
  })
  return client
}

const params = (id: string) => ({ path: { document_id: id } })

export const documentQuery = (id: string) =>
  queryOptions({
    queryKey: ['document', id],
    queryFn: ({ signal }) => unwrap(api.GET('/documents/{document_id}', { params: params(id), signal })),
  })

/** The documents that contain this one, and those inside it. */
export const linksQuery = (id: string) =>
  queryOptions({
    queryKey: ['links', id],
    queryFn: ({ signal }) => unwrap(api.GET('/documents/{document_id}/links', { params: params(id), signal })),
  })

export const runsQuery = (id: string) =>
  queryOptions({
    queryKey: ['runs', id],
    queryFn: ({ signal }) => unwrap(api.GET('/documents/{document_id}/runs', { params: params(id), signal })),
  })

export const costsQuery = (id: string) =>
  queryOptions({
    queryKey: ['costs', id],
    queryFn: ({ signal }) => unwrap(api.GET('/documents/{document_id}/costs', { params: params(id), signal })),
  })

export const fieldsQuery = (id: string) =>
  queryOptions({
    queryKey: ['fields', id],
    queryFn: ({ signal }) => unwrap(api.GET('/documents/{document_id}/fields', { params: params(id), signal })),
  })

/** The extracted text; null before the first run completes. */
export const contentQuery = (id: string) =>
  queryOptions({
    queryKey: ['content', id],
    queryFn: ({ signal }) =>
      nullIfMissing(
        unwrap(api.GET('/documents/{document_id}/content', { params: params(id), signal, parseAs: 'text' })),
      ) as Promise<string | null>,
    staleTime: Infinity,
  })

/** All chunks, fetched in pages of 1,000. */
export const chunksQuery = (id: string) =>
  queryOptions({
    queryKey: ['chunks', id],
    queryFn: async ({ signal }) => {
      const chunks = []
      for (let after = -1; ; ) {
        const query = { after, limit: 1000 }
        const page = await unwrap(
          api.GET('/documents/{document_id}/chunks', { params: { ...params(id), query }, signal }),
        )
        chunks.push(...page)
        const last = page[page.length - 1]
        if (page.length < 1000 || last === undefined) return chunks
        after = last.ordinal
      }
    },
    staleTime: Infinity,
  })

export const operationsQuery = () =>
  queryOptions({
    queryKey: ['operations'],
    queryFn: ({ signal }) => unwrap(api.GET('/operations', { signal })),
    // A page on which nothing happens sends few requests.
    refetchInterval: (query) => (query.state.data?.queue.some(({ status }) => status !== 'FAILED') ? 2_000 : 10_000),
  })
