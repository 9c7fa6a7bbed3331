// Actions on the selected documents.
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { type Action, actionsFor, cancel, deleteDocument, forEachDocument, rerun, retry } from '../api/actions'
import { Dialog } from '../parts/dialog'
import { Icon } from '../parts/icon'
import { announce } from '../parts/announce'
import { bytes, count, number } from '../words/format'
import type { Document } from './list'

const PAST: Record<Action, string> = {
  retry: 'resumed',
  rerun: 'queued again',
  cancel: 'cancelled',
  delete: 'deleted',
}

export function BulkBar({ selected, onDone }: { selected: readonly Document[]; onDone: () => void }) {
  const client = useQueryClient()
  const [confirming, setConfirming] = useState(false)
  const [busy, setBusy] = useState(false)
  const allowing = (action: Action) => selected.filter((document) => actionsFor(document.status).includes(action))

  const act = async (action: Action) => {
    const ids = allowing(action).map((document) => document.id)
    const apply = {
      retry: (id: string) => retry(client, id),
      rerun: (id: string) => rerun(client, id, { fromStage: null, fresh: false }),
      cancel: (id: string) => cancel(client, id),
      delete: (id: string) => deleteDocument(client, id),
    }[action]
    setBusy(true)
    const failures = await forEachDocument(ids, apply)
    setBusy(false)
    setConfirming(false)
    announce(
      `${count(ids.length - failures, 'document')} ${PAST[action]}${failures ? `; ${failures} failed` : ''}.`,
    )
    onDone()
  }

  const button = (action: Action, label: string, icon: 'retry' | 'stop' | 'trash') => {
    const matching = allowing(action).length
    if (!matching) return null
    return (
      <button
        type="button"
        className={`button${action === 'delete' ? ' danger' : ''}`}
        disabled={busy}
        onClick={() => (action === 'delete' ? setConfirming(true) : void act(action))}
      >
        <Icon name={icon} />
        {label} {matching < selected.length ? matching : ''}
      </button>
    )
  }

  return (
    <div className="bulk" role="toolbar" aria-label="Selected documents">
      <strong>{number(selected.length)} selected</strong>
      {button('retry', 'Retry', 'retry')}
      {button('rerun', 'Run again', 'retry')}
      {button('cancel', 'Cancel', 'stop')}
      {button('delete', 'Delete', 'trash')}
      <button type="button" className="button plain icon-only" aria-label="Clear selection" onClick={onDone}>
        <Icon name="close" />
      </button>
      {confirming && (
        <Dialog title={`Delete ${count(selected.length, 'document')}?`} onClose={() => setConfirming(false)}>
          <p>
            Deletes the originals ({bytes(selected.reduce((sum, document) => sum + document.size, 0))}), texts, chunks, fields
            and connections from this server. This cannot be undone.
          </p>
          <div className="dialog-actions">
            <button type="button" className="button" autoFocus onClick={() => setConfirming(false)}>
              Cancel
            </button>
            <button type="button" className="button danger primary" disabled={busy} onClick={() => void act('delete')}>
              Delete
            </button>
          </div>
        </Dialog>
      )}
    </div>
  )
}
