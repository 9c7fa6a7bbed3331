// A call in writing. Servers without a transcript address still have passages with speakers and seconds.
import { queryOptions } from '@tanstack/react-query'
import { anchorOf } from '../api/anchor'
import { request, type View } from '../api/client'
import { fill, place } from '../api/place'
import { Problem } from '../api/problem'

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
      try {
        const answer = await request(place(fill('/documents/{id}/transcript', { id })), { signal })
        return ((await answer.json()) as { segments: Segment[] }).segments
      } catch (error) {
        if (error instanceof Problem && error.status === 404) return null
        throw error
      }
    },
    staleTime: Infinity,
  })

export function segmentsOf(chunks: readonly View<'ChunkView'>[]): Segment[] {
  return chunks.flatMap((chunk) => {
    const { seconds, speaker } = anchorOf(chunk.anchor)
    return seconds ? [{ text: chunk.text, speaker, start: seconds[0], end: seconds[1], words: [] }] : []
  })
}

/** The segment heard at a moment; between two, the one before. */
export function heardAt(segments: readonly { start: number }[], moment: number): number {
  let [low, high] = [0, segments.length - 1]
  if (high < 0 || segments[0]!.start > moment) return -1
  while (low < high) {
    const half = (low + high + 1) >> 1
    if (segments[half]!.start <= moment) low = half
    else high = half - 1
  }
  return low
}
