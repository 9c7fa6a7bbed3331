// The transcript of a call: its segments, merged to turns of one speaker, with the silences between them.
import { type QueryClient, queryOptions } from '@tanstack/react-query'
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

/** What one speaker says until another one speaks. */
export interface Turn {
  speaker: string | null
  start: number
  segments: Segment[]
}

export interface Silence {
  start: number
  end: number
}

export type TranscriptEntry = Turn | Silence

export type SpeakerName = View<'SpeakerNameView'>

export interface Transcript {
  segments: Segment[]
  speakers: SpeakerName[]
}

export const transcriptQuery = (id: string) =>
  queryOptions({
    queryKey: ['transcript', id],
    queryFn: async ({ signal }): Promise<Transcript | null> => {
      const params = { path: { document_id: id } }
      const answer = await nullIfMissing(unwrap(api.GET('/documents/{document_id}/transcript', { params, signal })))
      return answer as Transcript | null
    },
    staleTime: Infinity,
  })

/** Gives a speaker a name; null removes it. */
export async function nameSpeaker(client: QueryClient, id: string, speaker: string, name: string | null): Promise<void> {
  const params = { path: { document_id: id } }
  const speakers = await unwrap(api.PATCH('/documents/{document_id}/speakers', { params, body: { names: { [speaker]: name } } }))
  client.setQueryData(['transcript', id], (transcript: Transcript | null | undefined) => transcript && { ...transcript, speakers })
}

/** The names to show, by speaker. */
export function shownNames(speakers: readonly SpeakerName[]): Map<string, string> {
  return new Map(speakers.map(({ speaker, name }) => [speaker, name ?? speaker]))
}

/** The segments of one speaker in a row are one turn, also of two speakers with the same name. */
export function turnsOf(segments: readonly Segment[], names: ReadonlyMap<string, string> = new Map()): Turn[] {
  const turns: Turn[] = []
  for (const segment of segments) {
    const speaker = segment.speaker === null ? null : (names.get(segment.speaker) ?? segment.speaker)
    const last = turns[turns.length - 1]
    if (last && last.speaker === speaker) last.segments.push(segment)
    else turns.push({ speaker, start: segment.start, segments: [segment] })
  }
  return turns
}

/** Turns and silences by time. A silence inside a turn follows it. */
export function withSilences(turns: readonly Turn[], silences: readonly Silence[]): TranscriptEntry[] {
  return [...turns, ...silences].sort((one, other) => one.start - other.start)
}

export function isTurn(entry: TranscriptEntry): entry is Turn {
  return 'segments' in entry
}

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
