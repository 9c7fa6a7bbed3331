import { describe, expect, test } from 'vitest'
import { Problem } from '../api/problem'
import { chosenItems, isSystemFile } from './dropped-files'
import { newKey, uploadProgress, UploadQueue } from './queue'
import type { Uploaded, UploadHandle, UploadResult } from './send'
import { summary, uploadText } from './tray'

/** An upload queue whose requests the test answers. */
class QueueHarness {
  open: { file: File; key: string; settle: (sent: UploadResult) => void; progress: (sent: number) => void; cancelled: boolean }[] = []
  stored: Uploaded[] = []
  queue = new UploadQueue(
    (file, key, progress): UploadHandle => {
      let settle!: (sent: UploadResult) => void
      const result = new Promise<UploadResult>((resolve) => {
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
    return this.queue.uploads.get().map((upload) => upload.state.phase)
  }

  async answer(index: number, sent: UploadResult) {
    this.open[index]!.settle(sent)
    await Promise.resolve()
    await Promise.resolve()
  }
}

const files = (...names: string[]) => names.map((name) => new File(['x'.repeat(99)], name))
const stored = (id: string, duplicate = false): UploadResult => ({
  outcome: 'stored',
  document: { id, name: `${id}.txt`, duplicate } as Uploaded,
})

describe('the upload queue', () => {
  test('sends three files at a time', async () => {
    const harness = new QueueHarness()
    harness.queue.add(files('a', 'b', 'c', 'd', 'e'))
    expect(harness.steps()).toEqual(['sending', 'sending', 'sending', 'waiting', 'waiting'])
    await harness.answer(0, stored('1'))
    expect(harness.steps()).toEqual(['stored', 'sending', 'sending', 'sending', 'waiting'])
    expect(harness.stored.map((document) => document.id)).toEqual(['1'])
  })

  test('one upload is cancelled alone', async () => {
    const harness = new QueueHarness()
    harness.queue.add(files('a', 'b'))
    harness.queue.cancel(harness.queue.uploads.get()[0]!.id)
    expect(harness.open[0]!.cancelled).toBe(true)
    await harness.answer(1, stored('2'))
    expect(harness.steps()).toEqual(['cancelled', 'stored'])
  })

  test('an unreachable server pauses the queue, and interrupted files are sent again with the same key', async () => {
    const harness = new QueueHarness()
    harness.queue.add(files('a', 'b', 'c', 'd'))
    await harness.answer(0, { outcome: 'unreachable' })
    expect(harness.steps()).toEqual(['interrupted', 'sending', 'sending', 'waiting'])
    await harness.answer(1, { outcome: 'unreachable' })
    await harness.answer(2, { outcome: 'unreachable' })
    expect(harness.open).toHaveLength(3)
    harness.queue.resume()
    expect(harness.steps()).toEqual(['sending', 'sending', 'sending', 'waiting'])
    expect(harness.open[3]!.key).toBe(harness.open[0]!.key)
  })

  test('an upload that is interrupted five times is given up', async () => {
    const harness = new QueueHarness()
    harness.queue.add(files('a'))
    for (let attempt = 0; attempt < 5; attempt += 1) {
      await harness.answer(attempt, { outcome: 'unreachable' })
      harness.queue.resume()
    }
    expect(harness.steps()).toEqual(['refused'])
    expect(uploadText(harness.queue.uploads.get()[0]!)).toContain('interrupted 5 times')
  })

  test('a refused file shows the server’s message', async () => {
    const harness = new QueueHarness()
    harness.queue.add(files('a'))
    await harness.answer(0, { outcome: 'refused', problem: new Problem(413, '', 'The file is larger than 4 GB.', '') })
    expect(uploadText(harness.queue.uploads.get()[0]!)).toBe('The file is larger than 4 GB.')
  })

  test('a duplicate is named and is no error', async () => {
    const harness = new QueueHarness()
    harness.queue.add(files('a', 'b'))
    await harness.answer(0, stored('1'))
    await harness.answer(1, stored('2', true))
    expect(uploadText(harness.queue.uploads.get()[1]!)).toContain('Duplicate of “2.txt”')
    expect(summary(harness.queue.uploads.get())).toBe('1 file stored, 1 duplicate')
    harness.queue.clear()
    expect(harness.queue.uploads.get()).toEqual([])
  })

  test('progress counts bytes, not files', async () => {
    const harness = new QueueHarness()
    harness.queue.add([new File(['x'.repeat(899)], 'large'), new File(['x'.repeat(99)], 'small')])
    harness.open[0]!.progress(0.5)
    expect(uploadProgress(harness.queue.uploads.get())).toBeCloseTo(0.4495, 3)
  })
})

test('keys are unique and system files are recognized', () => {
  expect(new Set(Array.from({ length: 100 }, newKey)).size).toBe(100)
  expect(['.DS_Store', '._a.pdf', 'a.pdf'].map(isSystemFile)).toEqual([true, true, false])
})

test('hidden files and libraries in a chosen folder are not uploaded', () => {
  const chosen = (path: string) => Object.assign(new File(['x'], path.split('/').at(-1)!), { webkitRelativePath: path })
  const paths = ['home/a.txt', 'home/.env', 'home/.git/config', 'home/in/b.txt', 'home/in/.c', 'home/data/towpath.db', 'home/data/blobs/d']
  expect(chosenItems(paths.map(chosen)).map(({ file, collection }) => [file.name, collection])).toEqual([
    ['a.txt', null],
    ['b.txt', 'in'],
  ])
})
