import { describe, expect, test } from 'vitest'
import { lastHour } from './plot'
import { retryText } from './failures'
import { serverText } from './operations'
import { byStage } from './queue'

describe('operations', () => {
  test('the queue is in pipeline order', () => {
    const row = (stage: string, status: string, jobs: number) => ({ stage, status, jobs, oldest: null })
    const queue = byStage([row('publish', 'PENDING', 1), row('extract', 'PROCESSING', 2), row('odd', 'PENDING', 3), row('extract', 'PENDING', 4), row('chunk', 'FAILED', 5)])
    expect(queue.map(({ stage, waiting, running }) => [stage, waiting, running])).toEqual([
      ['extract', 4, 2],
      ['publish', 1, 0],
      ['odd', 3, 0],
    ])
  })

  test('minutes without runs are shown as zero', () => {
    const now = Date.parse('2026-03-01T12:00:30Z')
    const hour = lastHour([{ at: '2026-03-01T11:58:00Z', queued: 4, completed: 3, failed: 1 }], now)
    expect(hour).toHaveLength(60)
    expect(hour[57]).toMatchObject({ completed: 3 })
    expect(hour[59]).toMatchObject({ completed: 0 })
  })

  test('a bulk retry says what it did', () => {
    expect(retryText(3, 3)).toBe('3 documents resumed.')
    expect(retryText(1, 1)).toBe('1 document resumed.')
    expect(retryText(2, 5)).toBe('2 documents resumed. 3 were not: they have a newer run or were deleted.')
    expect(retryText(0, 1)).toBe('Nothing was resumed: the document has a newer run or was deleted.')
  })

  test('version and disk space', () => {
    expect(serverText({ version: '0.2.0', disk: { free_bytes: 31e9, total_bytes: 100e9 } })).toBe('Version 0.2.0, 31 GB of 100 GB disk space free')
    expect(serverText({ version: '0.2.0', disk: null })).toBe('Version 0.2.0')
  })
})
