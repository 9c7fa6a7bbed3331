// Actions on the selected documents, or on all documents that match the filters.
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { actionsFor, cancel, forEachDocument, retry } from '../api/actions'
import { type BulkRequest, downloadFields, runBulk } from '../api/bulk'
import { errorText } from '../api/problem'
import { announce } from '../parts/announce'
import { Icon } from '../parts/icon'
import { type Filters, isFiltered } from '../route'
import { count, number } from '../words/format'
import { ConfirmBulk, LabelDialog } from './bulk-dialogs'
import { filterBody } from './filter'
import type { Document } from './list'

const PAST: Record<BulkRequest['action'], string> = {
  tag: 'tagged',
  untag: 'untagged',
  move: 'moved',
  rerun: 'queued again',
  delete: 'deleted',
}

interface Props {
  selected: readonly Document[]
  filters: Filters
  /** Documents that match the filters. */
  total: number
  /** Whether all documents that match are selected. */
  allMatching: boolean
  onSelectAll: () => void
  onDone: () => void
}

export function BulkBar({ selected, filters, total, allMatching, onSelectAll, onDone }: Props) {
  const client = useQueryClient()
  const [dialog, setDialog] = useState<BulkRequest['action'] | null>(null)
  const [busy, setBusy] = useState(false)
  const amount = allMatching ? total : selected.length
  const filter = allMatching ? filterBody(filters) : { ids: selected.map((document) => document.id) }

  const run = (action: Promise<string>, keepSelection = false) => {
    setBusy(true)
    action
      .then((text) => {
        announce(text)
        if (!keepSelection) onDone()
      })
      .catch((error: unknown) => announce(errorText(error)))
      .finally(() => {
        setBusy(false)
        setDialog(null)
      })
  }
  const bulk = (body: Omit<BulkRequest, 'filter'>) =>
    run(
      runBulk(client, { ...body, filter, all: allMatching }).then(({ changed, failures }) => {
        const problem = failures[0] ? `; ${number(failures.length)} not: ${failures[0].reason}` : ''
        return `${count(changed, 'document')} ${PAST[body.action]}${problem}.`
      }),
      body.action === 'tag' || body.action === 'untag',
    )
  const each = (action: 'retry' | 'cancel', done: string) => {
    const ids = allowing(selected, action).map((document) => document.id)
    const act = (id: string) => (action === 'retry' ? retry(client, id) : cancel(client, id))
    run(
      forEachDocument(ids, act).then(
        (failures) => `${count(ids.length - failures, 'document')} ${done}${failures ? `; ${failures} failed` : ''}.`,
      ),
    )
  }
  const single = (action: 'retry' | 'cancel', label: string, done: string, icon: 'retry' | 'stop') => {
    const matching = allowing(selected, action).length
    if (allMatching || !matching) return null
    return (
      <button type="button" className="button" disabled={busy} onClick={() => each(action, done)}>
        <Icon name={icon} />
        {label} {matching < selected.length ? matching : ''}
      </button>
    )
  }

  return (
    <div className="bulk" role="toolbar" aria-label="Selected documents">
      <strong>{number(amount)} selected</strong>
      {total > selected.length && !allMatching && (
        <button type="button" className="button plain" onClick={onSelectAll}>
          Select all {number(total)} {isFiltered(filters) ? 'that match' : 'documents'}
        </button>
      )}
      {single('retry', 'Retry', 'resumed', 'retry')}
      {single('cancel', 'Cancel', 'cancelled', 'stop')}
      <button type="button" className="button" disabled={busy} onClick={() => setDialog('tag')}>
        <Icon name="tag" />
        Tag…
      </button>
      <button type="button" className="button" disabled={busy} onClick={() => setDialog('move')}>
        <Icon name="library" />
        Move…
      </button>
      <button
        type="button"
        className="button"
        disabled={busy}
        onClick={() => run(downloadFields(filter, 'csv').then(() => `Fields of ${count(amount, 'document')} exported.`), true)}
      >
        <Icon name="download" />
        Export CSV
      </button>
      {(allMatching || allowing(selected, 'rerun').length > 0) && (
        <button type="button" className="button" disabled={busy} onClick={() => setDialog('rerun')}>
          <Icon name="retry" />
          Run again…
        </button>
      )}
      <button type="button" className="button danger" disabled={busy} onClick={() => setDialog('delete')}>
        <Icon name="trash" />
        Delete…
      </button>
      <button type="button" className="button plain icon-only" aria-label="Clear selection" title="Clear selection" onClick={onDone}>
        <Icon name="close" />
      </button>
      {(dialog === 'tag' || dialog === 'move') && (
        <LabelDialog action={dialog} amount={amount} busy={busy} onClose={() => setDialog(null)} onApply={bulk} />
      )}
      {(dialog === 'rerun' || dialog === 'delete') && (
        <ConfirmBulk
          body={{ action: dialog, filter, all: allMatching }}
          amount={amount}
          busy={busy}
          onClose={() => setDialog(null)}
          onConfirm={(fresh) => bulk({ action: dialog, fresh })}
        />
      )}
    </div>
  )
}

function allowing(documents: readonly Document[], action: 'retry' | 'cancel' | 'rerun'): readonly Document[] {
  return documents.filter((document) => actionsFor(document.status).includes(action))
}
