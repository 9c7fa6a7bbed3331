import { describe, expect, test } from 'vitest'
import { Problem } from '../api/problem'
import { isLitter } from './gather'
import { newKey, progressOf, UploadQueue } from './queue'
import type { Sent, Sending, Uploaded } from './send'
import { summary, words } from './tray'

/** A server that answers when the test says so. */
class Desk {
  open: { file: File; key: string; settle: (sent: Sent) => void; progress: (sent: number) => void; cancelled: boolean }[] = []
  stored: Uploaded[] = []
  queue = new UploadQueue(
    (file, key, progress): Sending => {
      let settle!: (sent: Sent) => void
      const result = new Promise<Sent>((resolve) => {
        settle = resolve
      })
      const entry = { file, key, settle, progress, cancelled: false }
      this.open.push(entry)
      return {
        result,
        cancel() {
          entry.cancelled = true
          settle({ outcome: 'cancelled' })
        },
      }
    },
    (document) => this.stored.push(document),
  )

  steps() {
    return this.queue.uploads.get().map((upload) => upload.state.step)
  }

  async answer(index: number, sent: Sent) {
    this.open[index]!.settle(sent)
    await Promise.resolve()
    await Promise.resolve()
  }
}

const files = (...names: string[]) => names.map((name) => new File(['x'.repeat(99)], name))
const stored = (id: string, duplicate = false): Sent => ({
  outcome: 'stored',
  document: { id, name: `${id}.txt`, duplicate } as Uploaded,
})

describe('the queue of uploads', () => {
  test('sends three at a time and the next as one arrives', async () => {
    const desk = new Desk()
    desk.queue.add(files('a', 'b', 'c', 'd', 'e'))
    expect(desk.steps()).toEqual(['sending', 'sending', 'sending', 'waiting', 'waiting'])
    await desk.answer(0, stored('1'))
    expect(desk.steps()).toEqual(['stored', 'sending', 'sending', 'sending', 'waiting'])
    expect(desk.stored.map((document) => document.id)).toEqual(['1'])
  })

  test('one can be cancelled without the others', async () => {
    const desk = new Desk()
    desk.queue.add(files('a', 'b'))
    desk.queue.cancel(desk.queue.uploads.get()[0]!.id)
    expect(desk.open[0]!.cancelled).toBe(true)
    await desk.answer(1, stored('2'))
    expect(desk.steps()).toEqual(['cancelled', 'stored'])
  })

  test('a silent server holds everything back, and what broke off is sent again under the same key', async () => {
    const desk = new Desk()
    desk.queue.add(files('a', 'b', 'c', 'd'))
    await desk.answer(0, { outcome: 'unreachable' })
    expect(desk.steps()).toEqual(['lost', 'sending', 'sending', 'waiting'])
    await desk.answer(1, { outcome: 'unreachable' })
    await desk.answer(2, { outcome: 'unreachable' })
    expect(desk.open).toHaveLength(3)
    desk.queue.resume()
    expect(desk.steps()).toEqual(['sending', 'sending', 'sending', 'waiting'])
    expect(desk.open[3]!.key).toBe(desk.open[0]!.key)
  })

  test('an upload that breaks off each time is given up with a word of advice', async () => {
    const desk = new Desk()
    desk.queue.add(files('a'))
    for (let attempt = 0; attempt < 5; attempt += 1) {
      await desk.answer(attempt, { outcome: 'unreachable' })
      desk.queue.resume()
    }
    expect(desk.steps()).toEqual(['refused'])
    expect(words(desk.queue.uploads.get()[0]!)).toContain('broke off 5 times')
  })

  test('a refusal is told in the server’s words', async () => {
    const desk = new Desk()
    desk.queue.add(files('a'))
    await desk.answer(0, { outcome: 'refused', problem: new Problem(413, '', 'The file is larger than 4 GB.', '') })
    expect(words(desk.queue.uploads.get()[0]!)).toBe('The file is larger than 4 GB.')
  })

  test('a twin is named, not called an error', async () => {
    const desk = new Desk()
    desk.queue.add(files('a', 'b'))
    await desk.answer(0, stored('1'))
    await desk.answer(1, stored('twin', true))
    expect(words(desk.queue.uploads.get()[1]!)).toContain('Already here as “twin.txt”')
    expect(summary(desk.queue.uploads.get())).toBe('1 file stored, 1 already here')
    desk.queue.clear()
    expect(desk.queue.uploads.get()).toEqual([])
  })

  test('progress counts bytes, not files', async () => {
    const desk = new Desk()
    desk.queue.add([new File(['x'.repeat(899)], 'large'), new File(['x'.repeat(99)], 'small')])
    desk.open[0]!.progress(0.5)
    expect(progressOf(desk.queue.uploads.get())).toBeCloseTo(0.4495, 3)
  })
})

test('keys do not repeat and leavings of file managers are left', () => {
  expect(new Set(Array.from({ length: 100 }, newKey)).size).toBe(100)
  expect(['.DS_Store', '._a.pdf', 'a.pdf'].map(isLitter)).toEqual([true, true, false])
})
