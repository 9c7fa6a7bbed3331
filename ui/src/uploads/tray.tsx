// The list of uploads in a corner of the page, with progress and cancel buttons.
import { useState } from 'react'
import { Icon } from '../parts/icon'
import { documentRoute, hrefTo } from '../route'
import { bytes, count } from '../words/format'
import { batchText, useBatch } from './batch'
import { useUploadQueue, useUploads } from './context'
import { hasEnded, uploadProgress, type Upload } from './queue'

/** The most uploads that are listed; a folder can have thousands of files. */
const MAX_LISTED = 60

export function Tray() {
  const queue = useUploadQueue()
  const uploads = useUploads()
  const [open, setOpen] = useState(true)
  const batch = useBatch(uploads)
  if (!uploads.length) return null
  const active = uploads.filter((upload) => !hasEnded(upload.state)).length
  return (
    <section className="tray" aria-label="Uploads">
      <div className="tray-head">
        <span role="status">{active ? `Uploading ${count(active, 'file')}` : summary(uploads)}</span>
        <button type="button" className="button plain" aria-expanded={open} onClick={() => setOpen(!open)}>
          {open ? 'Hide' : 'Show'}
        </button>
        {active ? (
          <button type="button" className="button plain" onClick={() => queue.cancelAll()}>
            Cancel all
          </button>
        ) : (
          <button
            type="button"
            className="button plain icon-only"
            aria-label="Close uploads"
            title="Close uploads"
            onClick={() => queue.clear()}
          >
            <Icon name="close" />
          </button>
        )}
      </div>
      <div className="tray-line">
        <i style={{ transform: `scaleX(${uploadProgress(uploads)})` }} />
      </div>
      {batch && <p className="tray-batch">{batchText(batch)}</p>}
      {open && (
        <ul tabIndex={0} aria-label="Files">
          {shown(uploads).map((upload) => (
            <UploadRow key={upload.id} upload={upload} onCancel={() => queue.cancel(upload.id)} />
          ))}
        </ul>
      )}
    </section>
  )
}

function UploadRow({ upload, onCancel }: { upload: Upload; onCancel: () => void }) {
  const { state, name } = upload
  return (
    <li className={`upload ${state.phase}`}>
      <span className="upload-name" title={name}>
        {state.phase === 'stored' && !state.document.duplicate ? <a href={hrefTo(documentRoute(state.document.id))}>{name}</a> : name}
      </span>
      <span className="upload-state">
        {state.phase === 'stored' && state.document.duplicate ? (
          <a href={hrefTo(documentRoute(state.document.id))}>{uploadText(upload)}</a>
        ) : (
          uploadText(upload)
        )}
      </span>
      {!hasEnded(state) && (
        <button type="button" className="button plain icon-only" aria-label={`Cancel ${name}`} title={`Cancel ${name}`} onClick={onCancel}>
          <Icon name="close" />
        </button>
      )}
    </li>
  )
}

export function uploadText({ state, size }: Upload): string {
  switch (state.phase) {
    case 'waiting':
      return `${bytes(size)}, waiting`
    case 'sending':
      return state.sent >= 1 ? 'Storing' : `${Math.floor(state.sent * 100)} % of ${bytes(size)}`
    case 'interrupted':
      return 'The server does not answer; the upload resumes when it is back'
    case 'stored':
      if (state.document.duplicate) return `Duplicate of “${state.document.name}”`
      return state.document.version > 1 ? `Stored as version ${state.document.version}` : 'Stored'
    case 'refused':
      return state.reason
    case 'cancelled':
      return 'Cancelled'
  }
}

export function summary(uploads: readonly Upload[]): string {
  const duplicates = uploads.filter(({ state }) => state.phase === 'stored' && state.document.duplicate).length
  const stored = uploads.filter(({ state }) => state.phase === 'stored').length - duplicates
  const refused = uploads.filter(({ state }) => state.phase === 'refused').length
  const parts = [
    stored && `${count(stored, 'file')} stored`,
    duplicates && count(duplicates, 'duplicate'),
    refused && `${refused} refused`,
  ].filter(Boolean)
  return parts.length ? parts.join(', ') : 'Cancelled'
}

function shown(uploads: readonly Upload[]): Upload[] {
  const rank = ({ state }: Upload) => (state.phase === 'sending' || state.phase === 'interrupted' ? 0 : state.phase === 'refused' ? 1 : hasEnded(state) ? 2 : 3)
  if (uploads.length <= MAX_LISTED) return [...uploads]
  return [...uploads].sort((one, other) => rank(one) - rank(other)).slice(0, MAX_LISTED)
}
