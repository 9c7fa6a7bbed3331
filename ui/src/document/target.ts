// The target of a link: the page to scroll to, the box to draw and the span to mark.
import { queryOptions, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { type Anchor, anchorOf } from '../api/anchor'
import { api, unwrap } from '../api/client'
import { chunksQuery, fieldsQuery } from '../api/queries'
import type { DocumentRoute } from '../route'

/** One chunk by its number; if the number has changed since the link was made, by a search through all chunks. */
const chunkQuery = (id: string, chunk: string, ordinal: number | null) =>
  queryOptions({
    queryKey: ['chunk', id, chunk],
    queryFn: async ({ signal, client }) => {
      if (ordinal !== null) {
        const params = { path: { document_id: id }, query: { after: ordinal - 1, limit: 1 } }
        const [candidate] = await unwrap(api.GET('/documents/{document_id}/chunks', { params, signal }))
        if (candidate?.id === chunk) return candidate
      }
      const chunks = await client.fetchQuery(chunksQuery(id))
      return chunks.find(({ id: chunkId }) => chunkId === chunk) ?? null
    },
  })

export interface Target extends Anchor {
  /** Whether the linked chunk no longer exists. */
  missing: boolean
}

/** A link of a passage has its first words: its span is checked by the text view. */
export function useTarget({ id, chunk, ordinal, page, span }: DocumentRoute): Target {
  const chunkResult = useQuery({ ...chunkQuery(id, chunk ?? '', ordinal), enabled: chunk !== null })
  const fields = useQuery({ ...fieldsQuery(id), enabled: chunk === null && span !== null })
  const [start, end] = span ?? [null, null]
  return useMemo(() => {
    const none = { ...anchorOf({}), missing: false }
    if (chunk !== null && chunkResult.data) return { ...anchorOf(chunkResult.data.anchor), missing: false }
    if (start === null || end === null) return { ...none, page, missing: chunk !== null && chunkResult.data === null }
    const field = fields.data?.find(({ anchor }) => anchor['start'] === start && anchor['end'] === end)
    return { ...none, ...anchorOf({ page: page ?? undefined, ...field?.anchor, start, end }) }
  }, [chunk, chunkResult.data, fields.data, start, end, page])
}
