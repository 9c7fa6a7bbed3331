// What the views ask the server, as query options; keys begin with what is asked, then whose it is.
import { QueryClient, queryOptions } from '@tanstack/react-query'
import { get, request } from './client'
import { connection } from './connection'
import { fill, place } from './place'
import { Problem } from './problem'

export function createQueryClient(): QueryClient {
  const client = new QueryClient({
    defaultOptions: {
      queries: {
        // Loopback works without a network, so only the server's own silence counts.
        networkMode: 'always',
        // A silent server is asked by one probe for all; its answers do not change by asking again.
        retry: false,
        staleTime: 2_000,
      },
      mutations: { networkMode: 'always' },
    },
  })
  let lost = false
  connection.follow(() => {
    const back = lost && connection.get().state === 'fine'
    lost = connection.get().state === 'lost'
    if (back) void client.refetchQueries({ type: 'active', predicate: (query) => !query.isDisabled() })
  })
  return client
}

const path = (id: string) => ({ path: { document_id: id } })

export const documentQuery = (id: string) =>
  queryOptions({
    queryKey: ['document', id],
    queryFn: ({ signal }) => get('/documents/{document_id}', { ...path(id), signal }),
  })

export const runsQuery = (id: string) =>
  queryOptions({
    queryKey: ['runs', id],
    queryFn: ({ signal }) => get('/documents/{document_id}/runs', { ...path(id), signal }),
  })

export const costsQuery = (id: string) =>
  queryOptions({
    queryKey: ['costs', id],
    queryFn: ({ signal }) => get('/documents/{document_id}/costs', { ...path(id), signal }),
  })

export const fieldsQuery = (id: string) =>
  queryOptions({
    queryKey: ['fields', id],
    queryFn: ({ signal }) => get('/documents/{document_id}/fields', { ...path(id), signal }),
  })

export const contentQuery = (id: string) =>
  queryOptions({
    queryKey: ['content', id],
    queryFn: async ({ signal }): Promise<string | null> => {
      try {
        return await (await request(place(fill('/documents/{id}/content', { id })), { signal })).text()
      } catch (error) {
        if (error instanceof Problem && error.status === 404) return null
        throw error
      }
    },
    staleTime: Infinity,
  })

/** Every passage, asked for in pages of a thousand. */
export const chunksQuery = (id: string) =>
  queryOptions({
    queryKey: ['chunks', id],
    queryFn: async ({ signal }) => {
      const all = []
      for (let after = -1; ; ) {
        const some = await get('/documents/{document_id}/chunks', { ...path(id), query: { after, limit: 1000 }, signal })
        all.push(...some)
        const last = some[some.length - 1]
        if (some.length < 1000 || last === undefined) return all
        after = last.ordinal
      }
    },
    staleTime: Infinity,
  })

export const operationsQuery = () =>
  queryOptions({
    queryKey: ['operations'],
    queryFn: ({ signal }) => get('/operations', { signal }),
    refetchInterval: 2_000,
  })
