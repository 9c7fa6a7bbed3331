// What can be done to the chosen rows together.
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { cancel, destroy, each, rerun, retry, type Verb, verbsFor } from '../api/actions'
import { Dialog } from '../parts/dialog'
import { Icon } from '../parts/icon'
import { announce } from '../parts/announce'
import { bytes, count } from '../words/format'
import type { Document } from './list'

const PAST: Record<Verb, string> = {
  retry: 'resumed',
  rerun: 'queued again',
  cancel: 'cancelled',
  delete: 'deleted',
}

export function BulkBar({ chosen, onDone }: { chosen: readonly Document[]; onDone: () => void }) {
  const client = useQueryClient()
  const [asking, setAsking] = useState(false)
  const [busy, setBusy] = useState(false)
  const those = (verb: Verb) => chosen.filter((document) => verbsFor(document.status).includes(verb))

  const act = async (verb: Verb) => {
    const ids = those(verb).map((document) => document.id)
    const one = {
      retry: (id: string) => retry(client, id),
      rerun: (id: string) => rerun(client, id, { fromStage: null, fresh: false }),
      cancel: (id: string) => cancel(client, id),
      delete: (id: string) => destroy(client, id),
    }[verb]
    setBusy(true)
    const failures = await each(ids, one)
    setBusy(false)
    setAsking(false)
    announce(
      `${count(ids.length - failures, 'document')} ${PAST[verb]}${failures ? `; ${failures} could not be` : ''}.`,
    )
    onDone()
  }

  const action = (verb: Verb, label: string, icon: 'retry' | 'stop' | 'trash') => {
    const many = those(verb).length
    if (!many) return null
    return (
      <button
        type="button"
        className={`button${verb === 'delete' ? ' danger' : ''}`}
        disabled={busy}
        onClick={() => (verb === 'delete' ? setAsking(true) : void act(verb))}
      >
        <Icon name={icon} />
        {label} {many < chosen.length ? many : ''}
      </button>
    )
  }

  return (
    <div className="bulk" role="toolbar" aria-label="Chosen documents">
      <strong>{count(chosen.length, 'document')} chosen</strong>
      {action('retry', 'Retry', 'retry')}
      {action('rerun', 'Run again', 'retry')}
      {action('cancel', 'Cancel', 'stop')}
      {action('delete', 'Delete', 'trash')}
      <button type="button" className="button plain icon-only" aria-label="Choose nothing" onClick={onDone}>
        <Icon name="close" />
      </button>
      {asking && (
        <Dialog title={`Delete ${count(chosen.length, 'document')}?`} onClose={() => setAsking(false)}>
          <p>
            Their originals ({bytes(chosen.reduce((sum, document) => sum + document.size, 0))}), texts, passages, fields
            and connections are removed from this server. This cannot be undone.
          </p>
          <div className="sheet-actions">
            <button type="button" className="button" autoFocus onClick={() => setAsking(false)}>
              Keep them
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
