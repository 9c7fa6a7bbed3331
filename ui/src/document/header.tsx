// The header of a document: name, status, stages and actions.
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { actionsFor, cancel, retry } from '../api/actions'
import { errorText } from '../api/problem'
import type { Status } from '../api/status'
import { type Document, titleOf } from '../library/list'
import { announce } from '../parts/announce'
import { Icon } from '../parts/icon'
import { segmentFill, segmentClass, stageText } from '../parts/stage-bar'
import { useNow } from '../parts/now'
import { Badge, Notice } from '../parts/notices'
import { hrefTo, originRoute, type Route } from '../route'
import { bytes, count, fileKind, dateTime, languageName, seconds } from '../words/format'
import { progressText } from '../words/stages'
import { labelOf, type StatusMessage, statusMessage, type Tone } from '../words/status-message'
import { DeleteDialog, RerunDialog } from './dialogs'
import { Downloads } from './downloads'
import { DocumentLabels } from './labels'
import { Links } from './links'
import { needsPassword, UnlockForm } from './password-form'
import { ReplaceFile } from './replace-file'
import { TitleEditor } from './title-editor'

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
  const origin = originRoute()
  return (
    <header className="document-head">
      <div className="document-title">
        <a className="button plain icon-only" href={hrefTo(origin)} aria-label={backText(origin)} title={backText(origin)}>
          <Icon name="back" />
        </a>
        <div className="document-name">
          <h1 dir="auto" title={document.name}>
            {document.name}
          </h1>
          <TitleEditor document={document} title={title} />
          <p className="quiet small">{details(document)}</p>
        </div>
        <Badge tone={tone}>{label}</Badge>
        <Actions document={document} status={status} connections={connections} />
      </div>
      <DocumentLabels document={document} />
      <Links id={document.id} />
      {status && message && !isCompleted(status) && <StageList status={status} tone={message.tone} />}
      {message && !isCompleted(status) && <StatusNotice message={message} status={status} document={document} />}
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

/** Back leads to where one came from. */
function backText({ view }: Route): string {
  const views: Partial<Record<Route['view'], string>> = { search: 'the search', ask: 'the answers', operations: 'operations' }
  return `Back to ${views[view] ?? 'the library'}`
}

/** Completed documents show no stages and no status message. */
function isCompleted(status: Status | undefined): boolean {
  return status === undefined || status.status === 'COMPLETED'
}

function details(document: Document): string {
  return [
    fileKind(document.media_type, document.name),
    document.pages ? count(document.pages, document.page_unit) : null,
    document.seconds ? seconds(document.seconds) : null,
    document.speakers && document.speakers > 1 ? count(document.speakers, 'speaker') : null,
    document.words ? count(document.words, 'word') : null,
    bytes(document.size),
    document.language ? languageName(document.language) : null,
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
          <span className="stage-list-label">{stage.label}</span>
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

function StatusNotice({ message, status, document }: { message: StatusMessage; status: Status; document: Document }) {
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
      {needsPassword(document, status) && <UnlockForm id={document.id} />}
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
      <Downloads document={document} />
      <ReplaceFile document={document} />
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
