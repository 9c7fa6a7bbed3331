import { describe, expect, test } from 'vitest'
import { lastHour } from './plot'
import { byStage } from './queue'

describe('operations', () => {
  test('the queue is in pipeline order', () => {
    const row = (stage: string, status: string, jobs: number) => ({ stage, status, jobs, oldest: null })
    const queue = byStage([row('publish', 'PENDING', 1), row('extract', 'PROCESSING', 2), row('odd', 'FAILED', 3), row('extract', 'PENDING', 4)])
    expect(queue.map(({ stage, waiting, running, failed }) => [stage, waiting, running, failed])).toEqual([
      ['extract', 4, 2, 0],
      ['publish', 1, 0, 0],
      ['odd', 0, 0, 3],
    ])
  })

  test('minutes without runs are shown as zero', () => {
    const now = Date.parse('2026-03-01T12:00:30Z')
    const hour = lastHour([{ at: '2026-03-01T11:58:00Z', queued: 4, completed: 3, failed: 1 }], now)
    expect(hour).toHaveLength(60)
    expect(hour[57]).toMatchObject({ completed: 3 })
    expect(hour[59]).toMatchObject({ completed: 0 })
  })
})
