// The transcript of a call: its segments with speaker and times.
import { queryOptions } from '@tanstack/react-query'
import { anchorOf } from '../api/anchor'
import { api, nullIfMissing, unwrap, type View } from '../api/client'

export interface Word {
  text: string
  start: number
  end: number
}

export interface Segment {
  text: string
  speaker: string | null
  start: number
  end: number
  words: Word[]
}

export const transcriptQuery = (id: string) =>
  queryOptions({
    queryKey: ['transcript', id],
    queryFn: async ({ signal }): Promise<Segment[] | null> => {
      const params = { path: { document_id: id } }
      const answer = await nullIfMissing(unwrap(api.GET('/documents/{document_id}/transcript', { params, signal })))
      return answer === null ? null : (answer as { segments: Segment[] }).segments
    },
    staleTime: Infinity,
  })

/** The lines of a call without a stored transcript, made from its chunks. */
export function segmentsOf(chunks: readonly View<'ChunkView'>[]): Segment[] {
  return chunks.flatMap((chunk) => {
    const { seconds, speaker } = anchorOf(chunk.anchor)
    return seconds ? [{ text: chunk.text, speaker, start: seconds[0], end: seconds[1], words: [] }] : []
  })
}

/** The index of the segment at a position in seconds; between two segments, the earlier one. */
export function segmentAt(segments: readonly { start: number }[], position: number): number {
  let [low, high] = [0, segments.length - 1]
  if (high < 0 || segments[0]!.start > position) return -1
  while (low < high) {
    const half = (low + high + 1) >> 1
    if (segments[half]!.start <= position) low = half
    else high = half - 1
  }
  return low
}
