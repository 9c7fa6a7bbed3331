// A recording and its transcript: the text follows the sound, and a click on a word or line is heard.
import { useQuery } from '@tanstack/react-query'
import { memo, useEffect, useRef, useState } from 'react'
import { audioAddress, useOriginal } from '../api/original'
import { chunksQuery } from '../api/queries'
import { Empty, Loading, Trouble } from '../parts/pieces'
import { timecode } from '../words/format'
import { Analysis } from './analysis'
import { heardAt, type Segment, segmentsOf, transcriptQuery } from './transcript'

export function Call({ id, name, at, going }: { id: string; name: string; at: number | null; going: boolean }) {
  const { address, error } = useOriginal(id, audioAddress(id))
  const sound = useRef<HTMLAudioElement>(null)
  const [moment, setMoment] = useState(at ?? 0)
  const play = (from: number) => {
    if (!sound.current) return
    sound.current.currentTime = from
    setMoment(from)
    void sound.current.play().catch(() => undefined)
  }
  useEffect(() => {
    if (at !== null && sound.current) sound.current.currentTime = at
  }, [at, address])
  return (
    <div className="call">
      {error ? <Trouble error={error} /> : null}
      {address && (
        <audio
          ref={sound}
          src={address}
          controls
          preload="metadata"
          aria-label={`Recording ${name}`}
          onTimeUpdate={(event) => setMoment(event.currentTarget.currentTime)}
        />
      )}
      <div className="call-words">
        <Analysis id={id} going={going} />
        <Transcript id={id} moment={moment} onPlay={play} />
      </div>
    </div>
  )
}

function Transcript({ id, moment, onPlay }: { id: string; moment: number; onPlay: (from: number) => void }) {
  const spoken = useQuery(transcriptQuery(id))
  const chunks = useQuery({ ...chunksQuery(id), enabled: spoken.data === null })
  const segments = spoken.data ?? (chunks.data && segmentsOf(chunks.data))
  const list = useRef<HTMLOListElement>(null)
  const now = segments ? heardAt(segments, moment) : -1
  useEffect(() => {
    list.current?.querySelector('.now')?.scrollIntoView({ block: 'nearest' })
  }, [now])
  if (!segments) return <Loading what="Fetching the transcript" />
  if (!segments.length) return <Empty icon="call" title="No transcript yet" />
  return (
    <ol className="transcript" ref={list}>
      {segments.map((segment, index) => (
        <Line key={index} segment={segment} heard={index === now ? moment : null} onPlay={onPlay} />
      ))}
    </ol>
  )
}

interface Heard {
  segment: Segment
  /** The moment, while this line is the one being heard. */
  heard: number | null
  onPlay: (from: number) => void
}

const Line = memo(function Line({ segment, heard, onPlay }: Heard) {
  const word = heard === null ? -1 : heardAt(segment.words, heard)
  return (
    <li className={heard === null ? '' : 'now'}>
      <button type="button" className="line-time" onClick={() => onPlay(segment.start)} aria-label={`Hear from ${timecode(segment.start)}`}>
        {timecode(segment.start)}
      </button>
      <div>
        {segment.speaker && <span className="speaker">{segment.speaker}</span>}
        <p dir="auto">
          {segment.words.length
            ? segment.words.map((one, index) => (
                <span key={index} className={index === word ? 'word now' : 'word'} onClick={() => onPlay(one.start)}>
                  {one.text}{' '}
                </span>
              ))
            : <span className="word" onClick={() => onPlay(segment.start)}>{segment.text}</span>}
        </p>
      </div>
    </li>
  )
})
