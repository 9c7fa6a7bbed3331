// A recording and its transcript: the current line is highlighted, and a click on a word or line plays from there.
import { useQuery } from '@tanstack/react-query'
import { memo, useEffect, useRef, useState } from 'react'
import { audioUrl, useOriginal } from '../api/original'
import { chunksQuery } from '../api/queries'
import { Empty, Loading, ErrorNotice } from '../parts/notices'
import { timecode } from '../words/format'
import { Analysis } from './analysis'
import { segmentAt, type Segment, segmentsOf, transcriptQuery } from './transcript'

export function Call({ id, name, start, processing }: { id: string; name: string; start: number | null; processing: boolean }) {
  const { source, error } = useOriginal(id, audioUrl(id))
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
        <audio
          ref={audio}
          src={source}
          controls
          preload="metadata"
          aria-label={`Recording ${name}`}
          onTimeUpdate={(event) => setPosition(event.currentTarget.currentTime)}
        />
      )}
      <div className="call-content">
        <Analysis id={id} processing={processing} />
        <Transcript id={id} position={position} onPlay={play} />
      </div>
    </div>
  )
}

function Transcript({ id, position, onPlay }: { id: string; position: number; onPlay: (from: number) => void }) {
  const transcript = useQuery(transcriptQuery(id))
  const chunks = useQuery({ ...chunksQuery(id), enabled: transcript.data === null })
  const segments = transcript.data ?? (chunks.data && segmentsOf(chunks.data))
  const list = useRef<HTMLOListElement>(null)
  const current = segments ? segmentAt(segments, position) : -1
  useEffect(() => {
    list.current?.querySelector('.current')?.scrollIntoView({ block: 'nearest' })
  }, [current])
  if (!segments) return <Loading what="Loading the transcript" />
  if (!segments.length) return <Empty icon="call" title="No transcript yet" />
  return (
    <ol className="transcript" ref={list}>
      {segments.map((segment, index) => (
        <Line key={index} segment={segment} position={index === current ? position : null} onPlay={onPlay} />
      ))}
    </ol>
  )
}

interface LineProps {
  segment: Segment
  /** The playback position in seconds if it is in this line. */
  position: number | null
  onPlay: (from: number) => void
}

const Line = memo(function Line({ segment, position, onPlay }: LineProps) {
  const currentWord = position === null ? -1 : segmentAt(segment.words, position)
  return (
    <li className={position === null ? '' : 'current'}>
      <button type="button" className="line-time" onClick={() => onPlay(segment.start)} aria-label={`Play from ${timecode(segment.start)}`}>
        {timecode(segment.start)}
      </button>
      <div>
        {segment.speaker && <span className="speaker">{segment.speaker}</span>}
        <p dir="auto">
          {segment.words.length
            ? segment.words.map((word, index) => (
                <span key={index} className={index === currentWord ? 'word current' : 'word'} onClick={() => onPlay(word.start)}>
                  {word.text}{' '}
                </span>
              ))
            : <span className="word" onClick={() => onPlay(segment.start)}>{segment.text}</span>}
        </p>
      </div>
    </li>
  )
})
