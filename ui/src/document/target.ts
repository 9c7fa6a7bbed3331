// The passage a link points at: where to scroll, what to box, what to mark.
import { queryOptions, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { type Anchor, anchorOf } from '../api/anchor'
import { get } from '../api/client'
import { chunksQuery, fieldsQuery } from '../api/queries'
import type { DocumentPlace } from '../route'

/** One passage by its number; when the number has changed since the link was made, by looking through all. */
const chunkQuery = (id: string, chunk: string, ordinal: number | null) =>
  queryOptions({
    queryKey: ['chunk', id, chunk],
    queryFn: async ({ signal, client }) => {
      if (ordinal !== null) {
        const [guess] = await get('/documents/{document_id}/chunks', {
          path: { document_id: id },
          query: { after: ordinal - 1, limit: 1 },
          signal,
        })
        if (guess?.id === chunk) return guess
      }
      const all = await client.fetchQuery(chunksQuery(id))
      return all.find((one) => one.id === chunk) ?? null
    },
  })

export interface Target extends Anchor {
  /** The link named a passage that is no longer there. */
  gone: boolean
}

export function useTarget({ id, chunk, ordinal, page, span }: DocumentPlace): Target {
  const named = useQuery({ ...chunkQuery(id, chunk ?? '', ordinal), enabled: chunk !== null })
  const fields = useQuery({ ...fieldsQuery(id), enabled: chunk === null && span !== null })
  const [start, end] = span ?? [null, null]
  return useMemo(() => {
    const none = { ...anchorOf({}), gone: false }
    if (chunk !== null && named.data) return { ...anchorOf(named.data.anchor), gone: false }
    if (start === null || end === null) return { ...none, page, gone: chunk !== null && named.data === null }
    const field = fields.data?.find((one) => one.anchor['start'] === start && one.anchor['end'] === end)
    return { ...none, ...anchorOf({ page: page ?? undefined, ...field?.anchor, start, end }) }
  }, [chunk, named.data, fields.data, start, end, page])
}
