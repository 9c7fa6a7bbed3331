// One row of the library: name, stages, status message.
import { memo, type MouseEvent } from 'react'
import { serverNow } from '../api/clock'
import { useCachedStatus } from '../api/status'
import { Icon, iconFor } from '../parts/icon'
import { StageBar } from '../parts/stage-bar'
import { useNow } from '../parts/now'
import { Badge } from '../parts/notices'
import { documentRoute, hrefTo } from '../route'
import { ago, bytes, count, fileKind, dateTime, seconds } from '../words/format'
import { labelOf, statusMessage } from '../words/status-message'
import { type Document, titleOf } from './list'

interface Props {
  document: Document
  index: number
  total: number
  top: number
  height: number
  active: boolean
  selected: boolean
  onSelect: (id: string, extend: boolean) => void
}

export const Row = memo(function Row({ document, index, total, top, height, active, selected, onSelect }: Props) {
  const status = useCachedStatus(document.id)
  // Ages below a minute are shown in seconds.
  const recent = serverNow() - Date.parse(document.created_at) < 60_000
  const now = useNow(true, status?.waiting_until != null || recent ? 1_000 : 30_000)
  const current = status && status.status === document.status ? status : undefined
  const message = current && statusMessage(current, now)
  const [tone, label] = message ? [message.tone, message.label] : labelOf(document.status)
  const title = titleOf(document)
  const select = (event: MouseEvent) => onSelect(document.id, event.shiftKey)
  return (
    <li
      className={`row${selected ? ' selected' : ''}`}
      style={{ transform: `translateY(${top}px)`, height }}
      aria-posinset={index + 1}
      aria-setsize={total}
      data-id={document.id}
      data-status={document.status}
    >
      <input
        type="checkbox"
        className="checkbox"
        checked={selected}
        tabIndex={active ? 0 : -1}
        aria-label={`Select ${document.name}`}
        onClick={select}
        onChange={() => undefined}
      />
      <span className="row-icon">
        <Icon name={iconFor(document.media_type)} />
      </span>
      <div className="row-title">
        <a className="row-name" href={hrefTo(documentRoute(document.id))} tabIndex={active ? 0 : -1} dir="auto">
          {document.name}
        </a>
        <div className="row-details">
          {document.collection && (
            <>
              <bdi className="row-collection">{document.collection}</bdi> ·{' '}
            </>
          )}
          {document.tags?.map((tag) => (
            <span key={tag}>
              <bdi className="chip">{tag}</bdi> ·{' '}
            </span>
          ))}
          {details(document)}
          {title && (
            <>
              {' '}
              · <bdi>{title}</bdi>
            </>
          )}
        </div>
      </div>
      <div className={`row-progress ${tone}`}>
        {current && current.stages.length > 0 && <StageBar stages={current.stages} named={tone === 'busy' || tone === 'good'} />}
        {message && (
          <div className="row-message" title={[message.what, message.action].filter(Boolean).join(' ')}>
            <p>{message.what}</p> {message.action && <p className="row-action">{message.action}</p>}
          </div>
        )}
      </div>
      <div className="row-state">
        <Badge tone={tone}>{label}</Badge>
      </div>
      <time className="row-when" dateTime={document.created_at} title={dateTime(document.created_at)}>
        {ago(document.created_at, now)}
      </time>
    </li>
  )
})

function details(document: Document): string {
  return [
    fileKind(document.media_type, document.name),
    document.pages ? count(document.pages, document.page_unit) : null,
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
