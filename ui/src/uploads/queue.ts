// The upload queue: three files at a time, each with its progress.
import { createStore, type Store } from '../parts/store'
import type { SendFile, Uploaded, UploadHandle, VersionTarget } from './send'

export type UploadState =
  | { phase: 'waiting' }
  | { phase: 'sending'; sent: number }
  | { phase: 'interrupted' }
  | { phase: 'stored'; document: Uploaded }
  | { phase: 'refused'; reason: string }
  | { phase: 'cancelled' }

export interface Upload {
  id: string
  name: string
  size: number
  state: UploadState
}

const CONCURRENCY = 3
const MAX_ATTEMPTS = 5

/** A file and the collection that its folder stands for. With a key or `replaces` it is the next version of a document. */
export interface UploadItem extends VersionTarget {
  file: File
  collection: string | null
}

interface PendingFile extends UploadItem {
  sending: UploadHandle | null
  attempts: number
}

export class UploadQueue {
  readonly uploads: Store<readonly Upload[]> = createStore<readonly Upload[]>([])
  private files = new Map<string, PendingFile>()

  constructor(
    private readonly send: SendFile,
    private readonly onStored: (document: Uploaded) => void,
  ) {}

  add(files: Iterable<File | UploadItem>): void {
    const added: Upload[] = []
    for (const item of files) {
      const given: UploadItem = item instanceof File ? { file: item, collection: null } : item
      const { file } = given
      const id = newKey()
      this.files.set(id, { ...given, sending: null, attempts: 0 })
      added.push({ id, name: file.name, size: file.size, state: { phase: 'waiting' } })
    }
    if (!added.length) return
    this.uploads.set([...this.uploads.get(), ...added])
    this.startNext()
  }

  cancel(id: string): void {
    const pending = this.files.get(id)
    this.files.delete(id)
    pending?.sending?.cancel()
    this.change(id, { phase: 'cancelled' })
    this.startNext()
  }

  cancelAll(): void {
    for (const upload of this.uploads.get()) if (!hasEnded(upload.state)) this.cancel(upload.id)
  }

  /** Sends interrupted files again. Their idempotency keys prevent duplicates. */
  resume(): void {
    for (const upload of this.uploads.get()) if (upload.state.phase === 'interrupted') this.change(upload.id, { phase: 'waiting' })
    this.startNext()
  }

  clear(): void {
    this.uploads.set(this.uploads.get().filter((upload) => !hasEnded(upload.state)))
  }

  private startNext(): void {
    const uploads = this.uploads.get()
    if (uploads.some((upload) => upload.state.phase === 'interrupted')) return
    let free = CONCURRENCY - uploads.filter((upload) => upload.state.phase === 'sending').length
    for (const upload of uploads) {
      if (free <= 0) return
      if (upload.state.phase !== 'waiting') continue
      free -= 1
      void this.start(upload.id)
    }
  }

  private async start(id: string): Promise<void> {
    const pending = this.files.get(id)
    if (!pending) return
    this.change(id, { phase: 'sending', sent: 0 })
    const onProgress = (sent: number) => this.change(id, { phase: 'sending', sent }, 'sending')
    const sending = this.send(pending.file, id, onProgress, pending.collection, pending)
    pending.sending = sending
    const result = await sending.result
    if (!this.files.has(id)) return
    pending.sending = null
    pending.attempts += 1
    if (result.outcome === 'unreachable' && pending.attempts < MAX_ATTEMPTS) this.change(id, { phase: 'interrupted' })
    else this.files.delete(id)
    if (result.outcome === 'unreachable' && pending.attempts >= MAX_ATTEMPTS) {
      this.change(id, { phase: 'refused', reason: `The upload was interrupted ${MAX_ATTEMPTS} times. Check the network and upload the file again.` })
    }
    if (result.outcome === 'stored') {
      this.change(id, { phase: 'stored', document: result.document })
      this.onStored(result.document)
    }
    if (result.outcome === 'refused') this.change(id, { phase: 'refused', reason: result.problem.detail })
    if (result.outcome === 'cancelled') this.change(id, { phase: 'cancelled' })
    this.startNext()
  }

  private change(id: string, state: UploadState, only?: UploadState['phase']): void {
    const next = this.uploads
      .get()
      .map((upload) => (upload.id === id && (!only || upload.state.phase === only) ? { ...upload, state } : upload))
    this.uploads.set(next)
  }
}

export function hasEnded(state: UploadState): boolean {
  return ['stored', 'refused', 'cancelled'].includes(state.phase)
}

/** The uploaded share of all bytes, from 0 to 1; ended uploads count in full. */
export function uploadProgress(uploads: readonly Upload[]): number {
  const total = uploads.reduce((sum, upload) => sum + upload.size + 1, 0)
  const sent = uploads.reduce((sum, { state, size }) => {
    if (hasEnded(state)) return sum + size + 1
    return sum + (state.phase === 'sending' ? state.sent * size : 0)
  }, 0)
  return total ? sent / total : 0
}

/** A random idempotency key. `crypto.randomUUID` does not exist on pages served without TLS. */
export function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')
}
