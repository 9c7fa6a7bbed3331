// The dialogs for running a document again and for deleting it.
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { deleteDocument, rerun } from '../api/actions'
import { announce } from '../parts/announce'
import { costsQuery, fieldsQuery } from '../api/queries'
import { errorText } from '../api/problem'
import type { Status } from '../api/status'
import type { Document } from '../library/list'
import { Dialog } from '../parts/dialog'
import { libraryRoute, navigate } from '../route'
import { bytes, count, dollars } from '../words/format'
import { list, stageLabel } from '../words/stages'

export function RerunDialog({ document, status, onClose }: { document: Document; status: Status; onClose: () => void }) {
  const client = useQueryClient()
  const { data: costs } = useQuery(costsQuery(document.id))
  const [choice, setChoice] = useState('')
  const fresh = choice === 'fresh'
  const names = status.stages.map((stage) => stage.name)
  const label = (name: string) => status.stages.find((stage) => stage.name === name)?.label ?? stageLabel(name)
  const from = names.indexOf(choice)
  const reused = from > 0 ? names.slice(0, from) : []
  const allCompleted = reused.every((name) => status.stages.some((stage) => stage.name === name && stage.status === 'COMPLETED'))
  const run = () => {
    onClose()
    rerun(client, document.id, { fromStage: from > 0 ? choice : null, fresh })
      .then(() => announce('New run queued.'))
      .catch((error: unknown) => announce(errorText(error)))
  }
  return (
    <Dialog title="Run again" onClose={onClose}>
      <p className="quiet">
        Queues a new run and keeps the history. {document.searchable && 'Search uses the current content until the new run completes.'}
      </p>
      <label className="stacked">
        Start from
        <select className="select" value={choice} onChange={(event) => setChoice(event.target.value)}>
          <option value="">first stage (use cached results)</option>
          {names.slice(1).map((name) => (
            <option key={name} value={name}>
              stage “{label(name)}”
            </option>
          ))}
          <option value="fresh">first stage (ignore cache)</option>
        </select>
      </label>
      <ul className="plain-list">
        {reused.length > 0 && (
          <li>
            Reuses {list(reused.map(label))}
            {allCompleted ? '' : ' from an earlier run if it completed them'}.
          </li>
        )}
        <li>Runs {list(names.slice(Math.max(0, from)).map(label))}.</li>
        {fresh ? (
          <li>
            Repeats every provider call{costs?.calls ? ` and pays again: ${count(costs.calls, 'call')} cost ${dollars(costs.cost)} so far` : ''}.
          </li>
        ) : (
          <li>
            {costs?.calls
              ? `${count(costs.calls, 'cached provider result')} will be reused at no cost.`
              : 'Cached provider results are reused at no cost.'}
          </li>
        )}
      </ul>
      <div className="dialog-actions">
        <button type="button" className="button" onClick={onClose}>
          Cancel
        </button>
        <button type="button" className={fresh && costs?.cost ? 'button danger primary' : 'button primary'} onClick={run}>
          Run again
        </button>
      </div>
    </Dialog>
  )
}

export function DeleteDialog({ document, connections, onClose }: { document: Document; connections: string | null; onClose: () => void }) {
  const client = useQueryClient()
  const { data: fields } = useQuery(fieldsQuery(document.id))
  const [busy, setBusy] = useState(false)
  const remove = () => {
    setBusy(true)
    deleteDocument(client, document.id)
      .then(() => {
        announce(`${document.name} was deleted.`)
        navigate(libraryRoute)
      })
      .catch((error: unknown) => {
        announce(errorText(error))
        onClose()
      })
  }
  return (
    <Dialog title="Delete this document?" onClose={onClose}>
      <p dir="auto">
        <strong>{document.name}</strong>
      </p>
      <ul className="plain-list">
        <li>Original file, {bytes(document.size)}</li>
        <li>
          Text{document.chunks ? `, ${count(document.chunks, 'chunk')}` : ''}
          {fields?.length ? `, ${count(fields.length, 'field')}` : ''} and history
        </li>
        {connections && <li>{connections === '1' ? '1 connection' : `${connections} connections`} to other documents</li>}
      </ul>
      <p className="quiet">
        This cannot be undone. Cached provider results are kept as long as the settings say, so uploading the same file
        again costs nothing.
      </p>
      <div className="dialog-actions">
        <button type="button" className="button" autoFocus onClick={onClose}>
          Cancel
        </button>
        <button type="button" className="button danger primary" disabled={busy} onClick={remove}>
          Delete
        </button>
      </div>
    </Dialog>
  )
}
