// One document in the list: what it is, how far it is, and why.
import { memo, type MouseEvent } from 'react'
import { useKnownStatus } from '../api/status'
import { Icon, iconFor } from '../parts/icon'
import { Ladder } from '../parts/ladder'
import { useNow } from '../parts/now'
import { Badge } from '../parts/pieces'
import { documentPlace, hrefTo } from '../route'
import { ago, bytes, count, fileKind, moment, seconds } from '../words/format'
import { labelOf, storyOf } from '../words/story'
import { type Document, titleOf } from './list'

interface Props {
  document: Document
  index: number
  total: number
  top: number
  height: number
  active: boolean
  chosen: boolean
  onChoose: (id: string, reach: boolean) => void
}

export const Row = memo(function Row({ document, index, total, top, height, active, chosen, onChoose }: Props) {
  const status = useKnownStatus(document.id)
  const now = useNow(status?.waiting_until != null)
  const current = status && status.status === document.status ? status : undefined
  const story = current && storyOf(current, now)
  const [tone, label] = story ? [story.tone, story.label] : labelOf(document.status)
  const title = titleOf(document)
  const choose = (event: MouseEvent) => onChoose(document.id, event.shiftKey)
  return (
    <li
      className={`row${chosen ? ' chosen' : ''}`}
      style={{ transform: `translateY(${top}px)`, height }}
      aria-posinset={index + 1}
      aria-setsize={total}
      data-id={document.id}
      data-status={document.status}
    >
      <input
        type="checkbox"
        className="checkbox"
        checked={chosen}
        tabIndex={active ? 0 : -1}
        aria-label={`Select ${document.name}`}
        onClick={choose}
        onChange={() => undefined}
      />
      <span className="row-icon">
        <Icon name={iconFor(document.media_type)} />
      </span>
      <div className="row-what">
        <a className="row-name" href={hrefTo(documentPlace(document.id))} tabIndex={active ? 0 : -1} dir="auto">
          {document.name}
        </a>
        <div className="row-about">
          {about(document)}
          {title && (
            <>
              {' '}
              · <bdi>{title}</bdi>
            </>
          )}
        </div>
      </div>
      <div className={`row-how ${tone}`}>
        {current && current.stages.length > 0 && <Ladder stages={current.stages} named={tone === 'busy' || tone === 'good'} />}
        {story && (
          <div className="row-story" title={[story.what, story.todo].filter(Boolean).join(' ')}>
            <p>{story.what}</p> {story.todo && <p className="row-todo">{story.todo}</p>}
          </div>
        )}
      </div>
      <div className="row-state">
        <Badge tone={tone}>{label}</Badge>
      </div>
      <time className="row-when" dateTime={document.created_at} title={moment(document.created_at)}>
        {ago(document.created_at, now)}
      </time>
    </li>
  )
})

function about(document: Document): string {
  return [
    fileKind(document.media_type, document.name),
    document.pages ? count(document.pages, 'page') : null,
    document.seconds ? seconds(document.seconds) : null,
    document.speakers && document.speakers > 1 ? count(document.speakers, 'speaker') : null,
    document.words ? count(document.words, 'word') : null,
    bytes(document.size),
  ]
    .filter(Boolean)
    .join(' · ')
}

export function Skeleton({ top, height }: { top: number; height: number }) {
  return (
    <li className="row skeleton" style={{ transform: `translateY(${top}px)`, height }} aria-hidden="true">
      <i />
    </li>
  )
}
