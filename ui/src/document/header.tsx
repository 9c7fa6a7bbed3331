// Who the document is, how it stands, and what can be done with it.
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { cancel, retry, verbsFor } from '../api/actions'
import { download } from '../api/original'
import { sentence } from '../api/problem'
import type { Status } from '../api/status'
import { type Document, titleOf } from '../library/list'
import { announce } from '../parts/announce'
import { Icon } from '../parts/icon'
import { filled, lockClass, stageSentence } from '../parts/ladder'
import { useNow } from '../parts/now'
import { Badge, Notice } from '../parts/pieces'
import { hrefTo, library } from '../route'
import { bytes, count, fileKind, moment, seconds } from '../words/format'
import { counting, shortName } from '../words/stages'
import { labelOf, type Story, storyOf, type Tone } from '../words/story'
import { DeleteDialog, RerunDialog } from './dialogs'

interface Props {
  document: Document
  status: Status | undefined
  connections: string | null
}

export function Header({ document, status, connections }: Props) {
  const now = useNow(status?.waiting_until != null)
  const story = status && storyOf(status, now)
  const [tone, label] = story ? [story.tone, story.label] : labelOf(document.status)
  const title = titleOf(document)
  return (
    <header className="document-head">
      <div className="document-title">
        <a className="button plain icon-only" href={hrefTo(library)} aria-label="Back to the library">
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
            {about(document)}
          </p>
        </div>
        <Badge tone={tone}>{label}</Badge>
        <Actions document={document} status={status} connections={connections} />
      </div>
      {status && story && !calm(status) && <Flight status={status} tone={story.tone} />}
      {story && !calm(status) && <Telling story={story} status={status} />}
      {document.warnings && document.warnings.length > 0 && calm(status) && (
        <Notice tone="waiting">
          {document.warnings.map((warning) => (
            <p key={warning}>{warning}</p>
          ))}
        </Notice>
      )}
    </header>
  )
}

/** All is well and nothing moves: the document itself deserves the room. */
function calm(status: Status | undefined): boolean {
  return status === undefined || status.status === 'COMPLETED'
}

function about(document: Document): string {
  return [
    fileKind(document.media_type, document.name),
    document.pages ? count(document.pages, 'page') : null,
    document.seconds ? seconds(document.seconds) : null,
    document.speakers && document.speakers > 1 ? count(document.speakers, 'speaker') : null,
    document.words ? count(document.words, 'word') : null,
    bytes(document.size),
    document.language,
    `added ${moment(document.created_at)}`,
  ]
    .filter(Boolean)
    .join(' · ')
}

function Flight({ status, tone }: { status: Status; tone: Tone }) {
  return (
    <ol className={`flight ${tone}`}>
      {status.stages.map((stage) => (
        <li key={stage.name} title={stageSentence(stage)}>
          <span className={lockClass(stage)}>
            <i style={{ transform: `scaleX(${filled(stage)})` }} />
          </span>
          <span className="flight-name">{shortName(stage.name)}</span>
          <span className="quiet small">
            {stage.reused
              ? 'reused'
              : ((stage.status === 'PROCESSING' && counting(stage.name, stage.done, stage.total)) || time(stage.seconds))}
          </span>
        </li>
      ))}
    </ol>
  )
}

const time = (spent: number | null) => (spent === null ? '' : seconds(spent))

function Telling({ story, status }: { story: Story; status: Status }) {
  if (story.tone === 'busy') {
    return (
      <p className="telling" role="status">
        {story.what}
      </p>
    )
  }
  return (
    <Notice tone={story.tone === 'bad' ? 'bad' : story.tone === 'waiting' ? 'waiting' : 'quiet'}>
      <p>{story.what}</p>
      {story.todo && <p className="quiet">{story.todo}</p>}
      {status.searchable && status.status !== 'PROCESSING' && (
        <p className="quiet">The content of an earlier run still answers searches.</p>
      )}
    </Notice>
  )
}

function Actions({ document, status, connections }: Props) {
  const client = useQueryClient()
  const [asking, setAsking] = useState<'rerun' | 'delete' | null>(null)
  const [busy, setBusy] = useState(false)
  const verbs = verbsFor(status?.status ?? document.status, status?.run?.failure_type)
  const act = (done: string, action: Promise<void>) => {
    setBusy(true)
    action
      .then(() => announce(done))
      .catch((error: unknown) => announce(sentence(error)))
      .finally(() => setBusy(false))
  }
  return (
    <div className="document-actions">
      {verbs.includes('retry') && (
        <button
          type="button"
          className="button primary"
          disabled={busy}
          onClick={() => act('Resumed where it stopped.', retry(client, document.id))}
        >
          <Icon name="retry" />
          Retry
        </button>
      )}
      {verbs.includes('cancel') && (
        <button
          type="button"
          className="button"
          disabled={busy}
          onClick={() => act('The run is cancelled.', cancel(client, document.id))}
        >
          <Icon name="stop" />
          Cancel
        </button>
      )}
      {verbs.includes('rerun') && status && (
        <button type="button" className="button" onClick={() => setAsking('rerun')}>
          Run again…
        </button>
      )}
      <button
        type="button"
        className="button icon-only"
        aria-label="Download the original"
        title="Download the original"
        onClick={() => act('', download(document.id, document.name))}
      >
        <Icon name="download" />
      </button>
      <button
        type="button"
        className="button icon-only danger"
        aria-label="Delete…"
        title="Delete…"
        onClick={() => setAsking('delete')}
      >
        <Icon name="trash" />
      </button>
      {asking === 'rerun' && status && <RerunDialog document={document} status={status} onClose={() => setAsking(null)} />}
      {asking === 'delete' && (
        <DeleteDialog document={document} connections={connections} onClose={() => setAsking(null)} />
      )}
    </div>
  )
}
