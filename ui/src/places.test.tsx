import { describe, expect, test } from 'vitest'
import { anchorOf, whereabouts } from './api/anchor'
import { noteServerDate, serverNow } from './api/clock'
import { fill, place } from './api/place'
import { resumeFrom, stoppedAt } from './api/actions'
import type { Status } from './api/status'
import { heardAt } from './document/transcript'
import { joined, lastOfMany, ordered, type Connection, withoutHeadings } from './document/connections'
import { lastHour } from './operations/plot'
import { byStage } from './operations/queue'
import { piecesOf } from './search/snippet'

describe('snippets', () => {
  const marked = (text: string, spans: number[][]) =>
    piecesOf(text, spans)
      .map((piece) => (piece.hit ? `[${piece.text}]` : piece.text))
      .join('')

  test('what matched is marked, in any order, overlapping or beyond emoji', () => {
    expect(marked('one two three', [[8, 13], [0, 3]])).toBe('[one] two [three]')
    expect(marked('one two', [[0, 5], [2, 7]])).toBe('[one t][wo]')
    expect(marked('😀 smile', [[2, 7]])).toBe('😀 [smile]')
    expect(marked('plain', [])).toBe('plain')
  })
})

describe('anchors', () => {
  test('only what is said is known', () => {
    expect(anchorOf({ page: 3, start: 1, end: 9, box: { x0: 0, y0: 0.1, x1: 1, y1: 0.2 } })).toMatchObject({
      page: 3,
      span: [1, 9],
      box: { y1: 0.2 },
    })
    expect(anchorOf({ box: { x0: 'evil' }, start: 5, end: 5, heading_path: ['A', 4] })).toMatchObject({
      box: null,
      span: null,
      headings: ['A'],
    })
    expect(whereabouts(anchorOf({ heading_path: ['A', 'B'] }))).toBe('B')
  })
})

describe('addresses of the API', () => {
  test('ids are quoted and empty wishes left out', () => {
    expect(place(fill('/documents/{id}/status', { id: '../x?y' }), { q: '', limit: 5 })).toBe(
      './documents/..%2Fx%3Fy/status?limit=5',
    )
  })
})

test('the server’s clock counts when the reader’s is wrong', () => {
  noteServerDate(new Date(Date.now() + 3_600_000).toUTCString())
  expect(serverNow() - Date.now()).toBeGreaterThan(3_500_000)
  noteServerDate(new Date().toUTCString())
  expect(Math.abs(serverNow() - Date.now())).toBeLessThan(5)
})

test('a retry goes on at the stage that stopped, or from the start when nothing was finished', () => {
  const status = (...states: string[]) =>
    ({ stages: states.map((state, index) => ({ name: `s${index}`, status: state })) }) as Status
  expect(resumeFrom(status('COMPLETED', 'CANCELLED', 'SKIPPED'))).toBe('s1')
  expect(resumeFrom(status('CANCELLED', 'SKIPPED'))).toBeNull()
  expect(stoppedAt(status('COMPLETED'))).toBeNull()
})

test('a moment of a recording belongs to the line begun last', () => {
  const lines = [{ start: 1 }, { start: 5 }, { start: 9 }]
  expect([0, 1, 4.9, 5, 100].map((moment) => heardAt(lines, moment))).toEqual([-1, 0, 0, 1, 2])
})

test('pinned connections come first and hidden ones only when asked for', () => {
  const one = (id: string, score: number, pinned = false, hidden = false) => ({ id, score, pinned, hidden }) as Connection
  const all = [one('a', 0.5), one('b', 0.9), one('c', 0.1, true), one('d', 1, false, true)]
  expect(ordered(all, false).map((c) => c.id)).toEqual(['c', 'b', 'a'])
  expect(ordered(all, true).map((c) => c.id)).toEqual(['c', 'd', 'b', 'a'])
})

test('connections come in pages, each of them once', () => {
  const page = (ids: string) => [...ids].map((id) => ({ id }) as Connection)
  expect(lastOfMany(page('abc'), 3)).toBe('c')
  expect(lastOfMany(page('ab'), 3)).toBe(null)
  expect(lastOfMany(null, 3)).toBe(null)
  expect(joined([page('abc'), page('cd')])?.map((one) => one.id)).toEqual(['a', 'b', 'c', 'd'])
  expect(joined([null])).toBe(null)
})

test('a passage stands without the headings it begins with, unless it has nothing else', () => {
  expect(withoutHeadings('# Canals\n\n## Locks\n\nThey open. # not a heading')).toBe('They open. # not a heading')
  expect(withoutHeadings('#hashtag first')).toBe('#hashtag first')
  expect(withoutHeadings('# Only a heading')).toBe('# Only a heading')
})

describe('operations', () => {
  test('the queue stands in the order of the stages', () => {
    const row = (stage: string, status: string, jobs: number) => ({ stage, status, jobs, oldest: null })
    const queue = byStage([row('publish', 'PENDING', 1), row('extract', 'PROCESSING', 2), row('odd', 'FAILED', 3), row('extract', 'PENDING', 4)])
    expect(queue.map(({ stage, waiting, working, failed }) => [stage, waiting, working, failed])).toEqual([
      ['extract', 4, 2, 0],
      ['publish', 1, 0, 0],
      ['odd', 0, 0, 3],
    ])
  })

  test('quiet minutes are shown as quiet', () => {
    const now = Date.parse('2026-03-01T12:00:30Z')
    const hour = lastHour([{ at: '2026-03-01T11:58:00Z', queued: 4, completed: 3, failed: 1 }], now)
    expect(hour).toHaveLength(60)
    expect(hour[57]).toMatchObject({ completed: 3 })
    expect(hour[59]).toMatchObject({ completed: 0 })
  })
})
