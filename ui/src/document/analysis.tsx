// The analysis of a call: summary, topics, speakers, action items, and what was said word for word. What an analyzer
// does not tell is not shown.
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { rerun } from '../api/actions'
import { api, nullIfMissing, unwrap } from '../api/client'
import { errorText } from '../api/problem'
import { announce } from '../parts/announce'
import { Icon } from '../parts/icon'
import { Notice } from '../parts/notices'
import { count, seconds as durationText, timecode } from '../words/format'

export interface Quote {
  text: string
  speaker: string | null
  /** The second at which it was said; null if the analyzer does not say. */
  start: number | null
}

export interface CallAnalysis {
  summary: string | null
  topics: string[]
  action_items: { text: string; owner: string | null; due: string | null; start: number | null }[]
  questions: Quote[]
  names: Quote[]
  numbers: Quote[]
  dates: Quote[]
  speakers: { speaker: string; share: number; sentiment: string | null; reason: string | null }[]
  longest_monologue: { speaker: string | null; start: number; end: number } | null
  silences: { start: number; end: number }[]
  interruptions: { speaker: string; interrupted: string; start: number }[] | null
  warning: string | null
}

/** A line of the analysis with the second it can be played from. */
interface Point {
  text: string
  start: number | null
}

export const analysisQuery = (id: string) =>
  queryOptions({
    queryKey: ['analysis', id],
    queryFn: ({ signal }) =>
      nullIfMissing(
        unwrap(api.GET('/documents/{document_id}/analysis', { params: { path: { document_id: id } }, signal })),
      ) as Promise<CallAnalysis | null>,
    staleTime: Infinity,
  })

interface AnalysisProps {
  id: string
  processing: boolean
  /** The names of the speakers to show. */
  names: ReadonlyMap<string, string>
  onPlay: (from: number) => void
}

export function Analysis({ id, processing, names, onPlay }: AnalysisProps) {
  const { data } = useQuery(analysisQuery(id))
  if (!data) return null
  return (
    <section className="analysis" aria-label="Call analysis">
      {data.warning && (
        <Notice tone="waiting">
          <p>{data.warning}</p>
          <AnalyzeAgain id={id} processing={processing} />
        </Notice>
      )}
      {data.summary && <p dir="auto">{data.summary}</p>}
      {data.topics.length > 0 && <p className="quiet small">{data.topics.join(' · ')}</p>}
      {data.speakers.length > 0 && (
        <ul className="shares">
          {data.speakers.map(({ speaker, share, sentiment, reason }) => (
            <li key={speaker} title={reason ?? undefined}>
              <span>{names.get(speaker) ?? speaker}</span>
              <span className="share">
                <i style={{ transform: `scaleX(${share})` }} />
              </span>
              <span className="quiet small">
                {Math.round(share * 100)} %{sentiment ? `, ${sentiment}` : ''}
              </span>
            </li>
          ))}
        </ul>
      )}
      <Points title="Action items" points={data.action_items.map((item) => ({ text: actionItemText({ ...item, owner: item.owner && (names.get(item.owner) ?? item.owner) }), start: item.start }))} onPlay={onPlay} />
      <Points title="Questions" points={data.questions} onPlay={onPlay} />
      <Mentions title="Names" quotes={data.names} onPlay={onPlay} />
      <Mentions title="Numbers" quotes={data.numbers} onPlay={onPlay} />
      <Mentions title="Dates" quotes={data.dates} onPlay={onPlay} />
      <Points title="Timing" points={timingPoints(data, names)} onPlay={onPlay} />
    </section>
  )
}

/** Runs the analyze stage again; the transcript is reused. */
function AnalyzeAgain({ id, processing }: { id: string; processing: boolean }) {
  const client = useQueryClient()
  const mutation = useMutation({
    mutationFn: () => rerun(client, id, { fromStage: 'analyze', fresh: false }),
    onError: (error) => announce(errorText(error)),
  })
  const busy = mutation.isPending || processing
  return (
    <button type="button" className="button" disabled={busy} onClick={() => mutation.mutate()}>
      <Icon name="retry" />
      {busy ? 'Analyzing' : 'Analyze again'}
    </button>
  )
}

function Points({ title, points, onPlay }: { title: string; points: readonly Point[]; onPlay: (from: number) => void }) {
  if (!points.length) return null
  return (
    <>
      <h2>{title}</h2>
      <ul className="points">
        {points.map((point, index) => (
          <li key={index} dir="auto">
            <PlayFrom start={point.start} onPlay={onPlay} />
            {point.text}
          </li>
        ))}
      </ul>
    </>
  )
}

/** Short things that were said, on one line; a click plays the call from there. */
function Mentions({ title, quotes, onPlay }: { title: string; quotes: readonly Quote[]; onPlay: (from: number) => void }) {
  if (!quotes.length) return null
  return (
    <>
      <h2>{title}</h2>
      <p className="mentions">
        {quotes.map((quote, index) => (
          <span key={index} dir="auto">
            {quote.text} <PlayFrom start={quote.start} onPlay={onPlay} />
          </span>
        ))}
      </p>
    </>
  )
}

function PlayFrom({ start, onPlay }: { start: number | null; onPlay: (from: number) => void }) {
  if (start === null) return null
  return (
    <button type="button" className="line-time" onClick={() => onPlay(start)} title={`Play from ${timecode(start)}`} aria-label={`Play from ${timecode(start)}`}>
      {timecode(start)}
    </button>
  )
}

/** The longest monologue, the interruptions and the sum of the silences as lines. */
export function timingPoints(
  data: Pick<CallAnalysis, 'longest_monologue' | 'interruptions' | 'silences'>,
  names: ReadonlyMap<string, string> = new Map(),
): Point[] {
  const nameOf = (speaker: string) => names.get(speaker) ?? speaker
  const { longest_monologue: monologue, interruptions, silences } = data
  const seconds = ({ start, end }: { start: number; end: number }) => `${Math.round(end - start)} s`
  return [
    ...(monologue?.speaker ? [{ text: `Longest monologue: ${nameOf(monologue.speaker)}, ${seconds(monologue)}`, start: monologue.start }] : []),
    ...(interruptions ?? []).map(({ speaker, interrupted, start }) => ({ text: `${nameOf(speaker)} interrupts ${nameOf(interrupted)}`, start })),
    ...silencePoint(silences),
  ]
}

/** All silences in one line, played from the longest one; the transcript shows each of them. */
function silencePoint(silences: CallAnalysis['silences']): Point[] {
  if (!silences.length) return []
  const length = ({ start, end }: { start: number; end: number }) => end - start
  const total = silences.reduce((sum, silence) => sum + length(silence), 0)
  const longest = silences.reduce((one, other) => (length(other) > length(one) ? other : one))
  return [{ text: `${count(silences.length, 'silence')}, ${durationText(total)} in all`, start: longest.start }]
}

/** `Send the invoice (Anna, by noon)`. */
export function actionItemText({ text, owner, due }: Pick<CallAnalysis['action_items'][number], 'text' | 'owner' | 'due'>): string {
  const details = [owner, due && `by ${due}`].filter(Boolean).join(', ')
  return details ? `${text} (${details})` : text
}
