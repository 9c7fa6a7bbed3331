// The header of a document: name, status, stages and actions.
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { actionsFor, cancel, retry } from '../api/actions'
import { download } from '../api/original'
import { errorText } from '../api/problem'
import type { Status } from '../api/status'
import { type Document, titleOf } from '../library/list'
import { announce } from '../parts/announce'
import { Icon } from '../parts/icon'
import { segmentFill, segmentClass, stageText } from '../parts/stage-bar'
import { useNow } from '../parts/now'
import { Badge, Notice } from '../parts/notices'
import { hrefTo, libraryRoute } from '../route'
import { bytes, count, fileKind, dateTime, seconds } from '../words/format'
import { progressText, stageLabel } from '../words/stages'
import { labelOf, type StatusMessage, statusMessage, type Tone } from '../words/status-message'
import { DeleteDialog, RerunDialog } from './dialogs'

interface Props {
  document: Document
  status: Status | undefined
  connections: string | null
}

export function Header({ document, status, connections }: Props) {
  const now = useNow(status?.waiting_until != null)
  const message = status && statusMessage(status, now)
  const [tone, label] = message ? [message.tone, message.label] : labelOf(document.status)
  const title = titleOf(document)
  return (
    <header className="document-head">
      <div className="document-title">
        <a className="button plain icon-only" href={hrefTo(libraryRoute)} aria-label="Back to the library">
          <Icon name="back" />
        </a>
        <div className="document-name">
          <h1 dir="auto">{document.name}</h1>
          <p className="quiet small">
            {title && (
              <>
                <bdi>{title}</bdi> ·{' '}
              </>
            )}
            {details(document)}
          </p>
        </div>
        <Badge tone={tone}>{label}</Badge>
        <Actions document={document} status={status} connections={connections} />
      </div>
      {status && message && !isCompleted(status) && <StageList status={status} tone={message.tone} />}
      {message && !isCompleted(status) && <StatusNotice message={message} status={status} />}
      {document.warnings && document.warnings.length > 0 && isCompleted(status) && (
        <Notice tone="waiting">
          {document.warnings.map((warning) => (
            <p key={warning}>{warning}</p>
          ))}
        </Notice>
      )}
    </header>
  )
}

/** Completed documents show no stages and no status message. */
function isCompleted(status: Status | undefined): boolean {
  return status === undefined || status.status === 'COMPLETED'
}

function details(document: Document): string {
  return [
    fileKind(document.media_type, document.name),
    document.pages ? count(document.pages, 'page') : null,
    document.seconds ? seconds(document.seconds) : null,
    document.speakers && document.speakers > 1 ? count(document.speakers, 'speaker') : null,
    document.words ? count(document.words, 'word') : null,
    bytes(document.size),
    document.language,
    `added ${dateTime(document.created_at)}`,
  ]
    .filter(Boolean)
    .join(' · ')
}

function StageList({ status, tone }: { status: Status; tone: Tone }) {
  return (
    <ol className={`stage-list ${tone}`}>
      {status.stages.map((stage) => (
        <li key={stage.name} title={stageText(stage)}>
          <span className={segmentClass(stage)}>
            <i style={{ transform: `scaleX(${segmentFill(stage)})` }} />
          </span>
          <span className="stage-list-label">{stageLabel(stage.name)}</span>
          <span className="quiet small">
            {stage.reused
              ? 'reused'
              : ((stage.status === 'PROCESSING' && progressText(stage.progress)) || duration(stage.seconds))}
          </span>
        </li>
      ))}
    </ol>
  )
}

const duration = (amount: number | null) => (amount === null ? '' : seconds(amount))

function StatusNotice({ message, status }: { message: StatusMessage; status: Status }) {
  if (message.tone === 'busy') {
    return (
      <p className="status-text" role="status">
        {message.what}
      </p>
    )
  }
  return (
    <Notice tone={message.tone === 'bad' ? 'bad' : message.tone === 'waiting' ? 'waiting' : 'quiet'}>
      <p>{message.what}</p>
      {message.action && <p className="quiet">{message.action}</p>}
      {status.searchable && status.status !== 'PROCESSING' && (
        <p className="quiet">Search uses the content of an earlier run.</p>
      )}
    </Notice>
  )
}

function Actions({ document, status, connections }: Props) {
  const client = useQueryClient()
  const [dialog, setDialog] = useState<'rerun' | 'delete' | null>(null)
  const [busy, setBusy] = useState(false)
  const actions = actionsFor(status?.status ?? document.status, status?.run?.failure_type)
  const act = (done: string, action: Promise<void>) => {
    setBusy(true)
    action
      .then(() => announce(done))
      .catch((error: unknown) => announce(errorText(error)))
      .finally(() => setBusy(false))
  }
  return (
    <div className="document-actions">
      {actions.includes('retry') && (
        <button
          type="button"
          className="button primary"
          disabled={busy}
          onClick={() => act('Run resumed.', retry(client, document.id))}
        >
          <Icon name="retry" />
          Retry
        </button>
      )}
      {actions.includes('cancel') && (
        <button
          type="button"
          className="button"
          disabled={busy}
          onClick={() => act('Run cancelled.', cancel(client, document.id))}
        >
          <Icon name="stop" />
          Cancel
        </button>
      )}
      {actions.includes('rerun') && status && (
        <button type="button" className="button" onClick={() => setDialog('rerun')}>
          Run again…
        </button>
      )}
      <button
        type="button"
        className="button icon-only"
        aria-label="Download original"
        title="Download original"
        onClick={() => act('', download(document.id, document.name))}
      >
        <Icon name="download" />
      </button>
      <button
        type="button"
        className="button icon-only danger"
        aria-label="Delete…"
        title="Delete…"
        onClick={() => setDialog('delete')}
      >
        <Icon name="trash" />
      </button>
      {dialog === 'rerun' && status && <RerunDialog document={document} status={status} onClose={() => setDialog(null)} />}
      {dialog === 'delete' && (
        <DeleteDialog document={document} connections={connections} onClose={() => setDialog(null)} />
      )}
    </div>
  )
}
