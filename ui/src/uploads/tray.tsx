// What is being sent, in a corner: progress for each file, and a way to stop each.
import { useState } from 'react'
import { Icon } from '../parts/icon'
import { documentPlace, hrefTo } from '../route'
import { bytes, count } from '../words/format'
import { useUploadQueue, useUploads } from './context'
import { isOver, progressOf, type Upload } from './queue'

/** Of a folder with thousands of files, the ones on the move and the newest are enough to look at. */
const SHOWN = 60

export function Tray() {
  const queue = useUploadQueue()
  const uploads = useUploads()
  const [open, setOpen] = useState(true)
  if (!uploads.length) return null
  const going = uploads.filter((upload) => !isOver(upload.state)).length
  return (
    <section className="tray" aria-label="Uploads">
      <div className="tray-head">
        <span role="status">{going ? `Uploading ${count(going, 'file')}` : summary(uploads)}</span>
        <button type="button" className="button plain" aria-expanded={open} onClick={() => setOpen(!open)}>
          {open ? 'Fold' : 'Show'}
        </button>
        {going ? (
          <button type="button" className="button plain" onClick={() => queue.cancelAll()}>
            Cancel all
          </button>
        ) : (
          <button
            type="button"
            className="button plain icon-only"
            aria-label="Close the list of uploads"
            onClick={() => queue.clear()}
          >
            <Icon name="close" />
          </button>
        )}
      </div>
      <div className="tray-line">
        <i style={{ transform: `scaleX(${progressOf(uploads)})` }} />
      </div>
      {open && (
        <ul tabIndex={0} aria-label="Files">
          {shown(uploads).map((upload) => (
            <Row key={upload.id} upload={upload} onCancel={() => queue.cancel(upload.id)} />
          ))}
        </ul>
      )}
    </section>
  )
}

function Row({ upload, onCancel }: { upload: Upload; onCancel: () => void }) {
  const { state, name } = upload
  return (
    <li className={`upload ${state.step}`}>
      <span className="upload-name" title={name}>
        {state.step === 'stored' ? <a href={hrefTo(documentPlace(state.document.id))}>{name}</a> : name}
      </span>
      <span className="upload-state">{words(upload)}</span>
      {!isOver(state) && (
        <button type="button" className="button plain icon-only" aria-label={`Cancel ${name}`} onClick={onCancel}>
          <Icon name="close" />
        </button>
      )}
    </li>
  )
}

export function words({ state, size }: Upload): string {
  switch (state.step) {
    case 'waiting':
      return `${bytes(size)}, waiting its turn`
    case 'sending':
      return state.sent >= 1 ? 'Being stored' : `${Math.floor(state.sent * 100)} % of ${bytes(size)}`
    case 'lost':
      return 'The server went silent; it is sent again when it is back'
    case 'stored':
      return state.document.duplicate
        ? `Already here as “${state.document.name}”; nothing was stored twice`
        : 'Stored'
    case 'refused':
      return state.reason
    case 'cancelled':
      return 'Cancelled'
  }
}

export function summary(uploads: readonly Upload[]): string {
  const twins = uploads.filter(({ state }) => state.step === 'stored' && state.document.duplicate).length
  const stored = uploads.filter(({ state }) => state.step === 'stored').length - twins
  const refused = uploads.filter(({ state }) => state.step === 'refused').length
  const parts = [
    stored && `${count(stored, 'file')} stored`,
    twins && `${twins} already here`,
    refused && `${refused} refused`,
  ].filter(Boolean)
  return parts.length ? parts.join(', ') : 'Cancelled'
}

function shown(uploads: readonly Upload[]): Upload[] {
  const rank = ({ state }: Upload) => (state.step === 'sending' || state.step === 'lost' ? 0 : state.step === 'refused' ? 1 : isOver(state) ? 2 : 3)
  if (uploads.length <= SHOWN) return [...uploads]
  return [...uploads].sort((one, other) => rank(one) - rank(other)).slice(0, SHOWN)
}
