// A recording and its transcript: the current line is highlighted, and a click on a word or line plays from there.
import { useQuery } from '@tanstack/react-query'
import { Fragment, memo, useEffect, useMemo, useRef, useState } from 'react'
import { audioUrl, useOriginal } from '../api/original'
import { chunksQuery } from '../api/queries'
import { Empty, Loading, ErrorNotice } from '../parts/notices'
import { seconds, timecode } from '../words/format'
import { Analysis, analysisQuery } from './analysis'
import { SpeakerEditor } from './speaker-editor'
import {
  isTurn,
  segmentAt,
  type Segment,
  segmentsOf,
  shownNames,
  type SpeakerName,
  transcriptQuery,
  type Turn,
  turnsOf,
  withSilences,
} from './transcript'

const SPEEDS = [0.5, 0.75, 1, 1.25, 1.5, 1.75, 2]

export function Call({ id, name, start, processing }: { id: string; name: string; start: number | null; processing: boolean }) {
  const { source, error } = useOriginal(id, audioUrl(id))
  const { data: transcript } = useQuery(transcriptQuery(id))
  const names = useMemo(() => shownNames(transcript?.speakers ?? []), [transcript])
  const audio = useRef<HTMLAudioElement>(null)
  const [position, setPosition] = useState(start ?? 0)
  const play = (from: number) => {
    if (!audio.current) return
    audio.current.currentTime = from
    setPosition(from)
    void audio.current.play().catch(() => undefined)
  }
  useEffect(() => {
    if (start !== null && audio.current) audio.current.currentTime = start
  }, [start, source])
  return (
    <div className="call">
      {error ? <ErrorNotice error={error} /> : null}
      {source && (
        <div className="player">
          <audio
            ref={audio}
            src={source}
            controls
            preload="metadata"
            aria-label={`Recording ${name}`}
            onTimeUpdate={(event) => setPosition(event.currentTarget.currentTime)}
          />
          <label className="speed" title="Playback speed">
            <span className="hidden">Playback speed</span>
            <select
              className="select"
              defaultValue="1"
              onChange={(event) => {
                if (audio.current) audio.current.playbackRate = Number(event.target.value)
              }}
            >
              {SPEEDS.map((speed) => (
                <option key={speed} value={speed}>
                  {speed} ×
                </option>
              ))}
            </select>
          </label>
        </div>
      )}
      <div className="call-content">
        <Analysis id={id} processing={processing} names={names} onPlay={play} />
        <TranscriptList id={id} names={names} speakers={transcript?.speakers ?? []} position={position} onPlay={play} />
      </div>
    </div>
  )
}

interface ListProps {
  id: string
  names: ReadonlyMap<string, string>
  speakers: readonly SpeakerName[]
  position: number
  onPlay: (from: number) => void
}

function TranscriptList({ id, names, speakers, position, onPlay }: ListProps) {
  const transcript = useQuery(transcriptQuery(id))
  const chunks = useQuery({ ...chunksQuery(id), enabled: transcript.data === null })
  const { data: analysis } = useQuery(analysisQuery(id))
  const segments = transcript.data?.segments ?? (chunks.data && segmentsOf(chunks.data))
  const turns = useMemo(() => turnsOf(segments ?? [], names), [segments, names])
  const entries = useMemo(() => withSilences(turns, analysis?.silences ?? []), [turns, analysis])
  const list = useRef<HTMLOListElement>(null)
  const current = turns[segmentAt(turns, position)]
  const line = current && segmentAt(current.segments, position)
  useEffect(() => {
    list.current?.querySelector('.current')?.scrollIntoView({ block: 'nearest' })
  }, [current, line])
  if (!segments) return <Loading what="Loading the transcript" />
  if (!segments.length) return <Empty icon="call" title="No transcript yet" />
  return (
    <ol className="transcript" ref={list} aria-label="Transcript">
      {entries.map((entry, index) =>
        isTurn(entry) ? (
          <TurnView
            key={index}
            id={id}
            turn={entry}
            speaker={speakers.find(({ speaker }) => speaker === entry.segments[0]!.speaker)}
            position={entry === current ? position : null}
            onPlay={onPlay}
          />
        ) : (
          <li key={index} className="silence quiet small">
            Silence of {seconds(entry.end - entry.start)}
          </li>
        ),
      )}
    </ol>
  )
}

interface TurnProps {
  id: string
  turn: Turn
  speaker: SpeakerName | undefined
  /** The playback position in seconds if it is in this turn. */
  position: number | null
  onPlay: (from: number) => void
}

const TurnView = memo(function TurnView({ id, turn, speaker, position, onPlay }: TurnProps) {
  const current = position === null ? -1 : segmentAt(turn.segments, position)
  return (
    <li className={position === null ? 'turn-of-call' : 'turn-of-call current-turn'}>
      {turn.speaker && (speaker ? <SpeakerEditor id={id} speaker={speaker} /> : <span className="speaker">{turn.speaker}</span>)}
      {turn.segments.map((segment, index) => (
        <Line key={segment.start} segment={segment} position={index === current ? position : null} onPlay={onPlay} />
      ))}
    </li>
  )
})

interface LineProps {
  segment: Segment
  /** The playback position in seconds if it is in this line. */
  position: number | null
  onPlay: (from: number) => void
}

const Line = memo(function Line({ segment, position, onPlay }: LineProps) {
  const currentWord = position === null ? -1 : segmentAt(segment.words, position)
  return (
    <div className={position === null ? 'line' : 'line current'}>
      <button
        type="button"
        className="line-time"
        title={`Play from ${timecode(segment.start)}`}
        aria-label={`Play from ${timecode(segment.start)}`}
        onClick={() => onPlay(segment.start)}
      >
        {timecode(segment.start)}
      </button>
      <p dir="auto">
        {segment.words.length
          ? segment.words.map((word, index) => (
              <Fragment key={index}>
                <span className={index === currentWord ? 'word current' : 'word'} onClick={() => onPlay(word.start)}>
                  {word.text}
                </span>{' '}
              </Fragment>
            ))
          : <span className="word" onClick={() => onPlay(segment.start)}>{segment.text}</span>}
      </p>
    </div>
  )
})
