// Actions that want a second thought, each saying what it will reuse, pay or remove.
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { destroy, rerun } from '../api/actions'
import { announce } from '../parts/announce'
import { costsQuery, fieldsQuery } from '../api/queries'
import { sentence } from '../api/problem'
import type { Status } from '../api/status'
import type { Document } from '../library/list'
import { Dialog } from '../parts/dialog'
import { go, library } from '../route'
import { bytes, count, dollars } from '../words/format'
import { shortName } from '../words/stages'
import { list } from '../words/story'

export function RerunDialog({ document, status, onClose }: { document: Document; status: Status; onClose: () => void }) {
  const client = useQueryClient()
  const { data: costs } = useQuery(costsQuery(document.id))
  const [choice, setChoice] = useState('')
  const fresh = choice === 'fresh'
  const names = status.stages.map((stage) => stage.name)
  const from = names.indexOf(choice)
  const kept = from > 0 ? names.slice(0, from) : []
  const done = kept.every((name) => status.stages.some((stage) => stage.name === name && stage.status === 'COMPLETED'))
  const run = () => {
    onClose()
    rerun(client, document.id, { fromStage: from > 0 ? choice : null, fresh })
      .then(() => announce('A new run is queued.'))
      .catch((error: unknown) => announce(sentence(error)))
  }
  return (
    <Dialog title="Run again" onClose={onClose}>
      <p className="quiet">
        A new run is queued; the history stays. {document.searchable && 'What is there keeps answering searches until the new content is complete.'}
      </p>
      <label className="stacked">
        Begin
        <select className="choice" value={choice} onChange={(event) => setChoice(event.target.value)}>
          <option value="">at the beginning, reusing remembered answers</option>
          {names.slice(1).map((name) => (
            <option key={name} value={name}>
              from the stage ‘{shortName(name)}’
            </option>
          ))}
          <option value="fresh">afresh, forgetting remembered answers</option>
        </select>
      </label>
      <ul className="plain-list">
        {kept.length > 0 && done && <li>Takes over {list(kept.map(shortName))} as they are.</li>}
        {kept.length > 0 && !done && (
          <li>Takes over {list(kept.map(shortName))} from an earlier run that finished them, or does them again.</li>
        )}
        <li>Does {list(names.slice(Math.max(0, from)).map(shortName))} again.</li>
        {fresh ? (
          <li>
            Asks every provider again{costs && costs.calls ? `, and pays again: ${count(costs.calls, 'call')} cost ${dollars(costs.cost)} so far` : ''}.
          </li>
        ) : (
          <li>
            Pays only for what was never asked before{costs?.calls ? `: ${count(costs.calls, 'answer')} of this document ${costs.calls === 1 ? 'is' : 'are'} remembered` : ''}.
          </li>
        )}
      </ul>
      <div className="sheet-actions">
        <button type="button" className="button" onClick={onClose}>
          Leave it
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
    destroy(client, document.id)
      .then(() => {
        announce(`${document.name} is deleted.`)
        go(library)
      })
      .catch((error: unknown) => {
        announce(sentence(error))
        onClose()
      })
  }
  return (
    <Dialog title="Delete this document?" onClose={onClose}>
      <p dir="auto">
        <strong>{document.name}</strong>
      </p>
      <ul className="plain-list">
        <li>The original, {bytes(document.size)}</li>
        <li>
          Its text{document.chunks ? `, ${count(document.chunks, 'passage')}` : ''}
          {fields?.length ? `, ${count(fields.length, 'field')}` : ''} and its history
        </li>
        {connections && <li>{connections === '1' ? '1 connection' : `${connections} connections`} to other documents</li>}
      </ul>
      <p className="quiet">
        All of it is removed from this server and cannot be brought back. Answers that were paid for stay remembered for
        as long as the settings say, so that the same file would not be paid for again.
      </p>
      <div className="sheet-actions">
        <button type="button" className="button" autoFocus onClick={onClose}>
          Keep it
        </button>
        <button type="button" className="button danger primary" disabled={busy} onClick={remove}>
          Delete
        </button>
      </div>
    </Dialog>
  )
}
