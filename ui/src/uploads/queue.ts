// Files on their way to the server: a few at a time, each with its progress, each to be cancelled alone.
import { createStore, type Store } from '../parts/store'
import type { Send, Sending, Uploaded } from './send'

export type UploadState =
  | { step: 'waiting' }
  | { step: 'sending'; sent: number }
  | { step: 'lost' }
  | { step: 'stored'; document: Uploaded }
  | { step: 'refused'; reason: string }
  | { step: 'cancelled' }

export interface Upload {
  id: string
  name: string
  size: number
  state: UploadState
}

const AT_ONCE = 3
/** A line that breaks each time is no passing silence; then a person should look. */
const MOST_TRIES = 5

interface Waiting {
  file: File
  sending: Sending | null
  tries: number
}

export class UploadQueue {
  readonly uploads: Store<readonly Upload[]> = createStore<readonly Upload[]>([])
  private files = new Map<string, Waiting>()

  constructor(
    private readonly send: Send,
    private readonly onStored: (document: Uploaded) => void,
  ) {}

  add(files: Iterable<File>): void {
    const added: Upload[] = []
    for (const file of files) {
      const id = newKey()
      this.files.set(id, { file, sending: null, tries: 0 })
      added.push({ id, name: file.name, size: file.size, state: { step: 'waiting' } })
    }
    if (!added.length) return
    this.uploads.set([...this.uploads.get(), ...added])
    this.pump()
  }

  cancel(id: string): void {
    const known = this.files.get(id)
    this.files.delete(id)
    known?.sending?.cancel()
    this.change(id, { step: 'cancelled' })
    this.pump()
  }

  cancelAll(): void {
    for (const upload of this.uploads.get()) if (!isOver(upload.state)) this.cancel(upload.id)
  }

  /** Send again what the server's silence broke off. The key of each file makes a second arrival harmless. */
  resume(): void {
    for (const upload of this.uploads.get()) if (upload.state.step === 'lost') this.change(upload.id, { step: 'waiting' })
    this.pump()
  }

  clear(): void {
    this.uploads.set(this.uploads.get().filter((upload) => !isOver(upload.state)))
  }

  private pump(): void {
    const uploads = this.uploads.get()
    if (uploads.some((upload) => upload.state.step === 'lost')) return
    let free = AT_ONCE - uploads.filter((upload) => upload.state.step === 'sending').length
    for (const upload of uploads) {
      if (free <= 0) return
      if (upload.state.step !== 'waiting') continue
      free -= 1
      void this.start(upload.id)
    }
  }

  private async start(id: string): Promise<void> {
    const known = this.files.get(id)
    if (!known) return
    this.change(id, { step: 'sending', sent: 0 })
    const sending = this.send(known.file, id, (sent) => this.change(id, { step: 'sending', sent }, 'sending'))
    known.sending = sending
    const result = await sending.result
    if (!this.files.has(id)) return
    known.sending = null
    known.tries += 1
    if (result.outcome === 'unreachable' && known.tries < MOST_TRIES) this.change(id, { step: 'lost' })
    else this.files.delete(id)
    if (result.outcome === 'unreachable' && known.tries >= MOST_TRIES) {
      this.change(id, { step: 'refused', reason: `The upload broke off ${MOST_TRIES} times. Check the line and drop the file again.` })
    }
    if (result.outcome === 'stored') {
      this.change(id, { step: 'stored', document: result.document })
      this.onStored(result.document)
    }
    if (result.outcome === 'refused') this.change(id, { step: 'refused', reason: result.problem.detail })
    if (result.outcome === 'cancelled') this.change(id, { step: 'cancelled' })
    this.pump()
  }

  private change(id: string, state: UploadState, only?: UploadState['step']): void {
    const next = this.uploads
      .get()
      .map((upload) => (upload.id === id && (!only || upload.state.step === only) ? { ...upload, state } : upload))
    this.uploads.set(next)
  }
}

export function isOver(state: UploadState): boolean {
  return ['stored', 'refused', 'cancelled'].includes(state.step)
}

/** How much of everything has gone, by bytes; files count as sent once they are over. */
export function progressOf(uploads: readonly Upload[]): number {
  const total = uploads.reduce((sum, upload) => sum + upload.size + 1, 0)
  const sent = uploads.reduce((sum, { state, size }) => {
    if (isOver(state)) return sum + size + 1
    return sum + (state.step === 'sending' ? state.sent * size : 0)
  }, 0)
  return total ? sent / total : 0
}

/** `crypto.randomUUID` is missing where the page is served without TLS beyond loopback; this never is. */
export function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')
}
