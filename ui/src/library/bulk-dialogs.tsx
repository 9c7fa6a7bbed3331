// The dialogs of bulk actions: tags, collection, and confirmations that say what will happen.
import { useQuery } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { type BulkRequest, dryRun } from '../api/bulk'
import { Dialog } from '../parts/dialog'
import { ErrorNotice } from '../parts/notices'
import { count, dollars, number } from '../words/format'
import { facetsQuery, NO_FILTERS } from './filter'

interface LabelProps {
  action: 'tag' | 'move'
  amount: number
  busy: boolean
  onClose: () => void
  onApply: (body: Omit<BulkRequest, 'filter'>) => void
}

export function LabelDialog({ action, amount, busy, onClose, onApply }: LabelProps) {
  const { data: facets } = useQuery(facetsQuery(NO_FILTERS))
  const [text, setText] = useState('')
  const suggestions = useId()
  const known = Object.keys((action === 'tag' ? facets?.tags : facets?.collections) ?? {}).filter(Boolean)
  const tags = text.split(',').map((tag) => tag.trim()).filter(Boolean)
  const apply = (remove: boolean) => {
    if (action === 'move') onApply({ action: 'move', collection: text.trim() || null })
    else if (tags.length) onApply({ action: remove ? 'untag' : 'tag', tags })
  }
  return (
    <Dialog title={action === 'tag' ? `Tag ${count(amount, 'document')}` : `Move ${count(amount, 'document')}`} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          apply(false)
        }}
      >
        <label className="stacked">
          {action === 'tag' ? 'Tags, separated by commas' : 'Collection; empty for none'}
          <input
            className="input"
            autoFocus
            list={suggestions}
            maxLength={200}
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
        </label>
        <datalist id={suggestions}>
          {known.map((value) => (
            <option key={value} value={value} />
          ))}
        </datalist>
        <div className="dialog-actions">
          <button type="button" className="button" onClick={onClose}>
            Cancel
          </button>
          {action === 'tag' && (
            <button type="button" className="button" disabled={busy || !tags.length} onClick={() => apply(true)}>
              Remove tags
            </button>
          )}
          <button type="submit" className="button primary" disabled={busy || (action === 'tag' && !tags.length)}>
            {action === 'tag' ? 'Add tags' : 'Move'}
          </button>
        </div>
      </form>
    </Dialog>
  )
}

interface ConfirmProps {
  body: BulkRequest
  amount: number
  busy: boolean
  onClose: () => void
  onConfirm: (fresh: boolean) => void
}

export function ConfirmBulk({ body, amount, busy, onClose, onConfirm }: ConfirmProps) {
  const [fresh, setFresh] = useState(false)
  const rerun = body.action === 'rerun'
  const { data: plan, error } = useQuery({
    queryKey: ['dry-run', body, fresh],
    queryFn: () => dryRun({ ...body, fresh }),
    staleTime: 0,
    gcTime: 0,
  })
  const matched = plan?.matched ?? amount
  return (
    <Dialog title={`${rerun ? 'Run' : 'Delete'} ${count(matched, 'document')}${rerun ? ' again' : ''}?`} onClose={onClose}>
      {error && <ErrorNotice error={error} />}
      {rerun ? (
        <>
          <p className="quiet">Documents that are being processed are left out. Search uses the current content until a new run completes.</p>
          <label className="check">
            <input type="checkbox" className="checkbox" checked={fresh} onChange={(event) => setFresh(event.target.checked)} />
            Ignore cached results and pay providers again
          </label>
          <p role="status">{plan ? costText(plan, fresh) : 'Calculating the cost…'}</p>
        </>
      ) : (
        <p>
          Deletes the originals, texts, chunks, fields and connections from this server. This cannot be undone.
        </p>
      )}
      <div className="dialog-actions">
        <button type="button" className="button" autoFocus onClick={onClose}>
          Cancel
        </button>
        <button
          type="button"
          className={rerun && !plan?.cost ? 'button primary' : 'button danger primary'}
          disabled={busy || !plan}
          onClick={() => onConfirm(fresh)}
        >
          {rerun ? 'Run again' : 'Delete'}
        </button>
      </div>
    </Dialog>
  )
}

function costText({ cached_calls: calls = 0, cost = 0 }: { cached_calls?: number; cost?: number }, fresh: boolean): string {
  if (!calls) return 'These documents have no paid provider calls.'
  if (fresh) return `Repeats ${count(calls, 'provider call')}; they cost ${dollars(cost)} so far.`
  return `Costs nothing with unchanged settings: ${number(calls)} stored provider ${calls === 1 ? 'answer is' : 'answers are'} used.`
}
