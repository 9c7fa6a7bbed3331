import { describe, expect, test } from 'vitest'
import { resumeFrom, stoppedAt } from './actions'
import { anchorOf, locationText } from './anchor'
import { recordServerDate, serverNow } from './clock'
import type { Status } from './status'
import { apiUrl } from './url'

describe('anchors', () => {
  test('missing and invalid parts are null', () => {
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
    expect(locationText(anchorOf({ heading_path: ['A', 'B'] }))).toBe('B')
  })
})

describe('API URLs', () => {
  test('ids are quoted', () => {
    expect(apiUrl('/documents/{id}/status', { id: '../x?y' })).toBe(
      './documents/..%2Fx%3Fy/status',
    )
  })
})

test('times follow the server’s clock', () => {
  recordServerDate(new Date(Date.now() + 3_600_000).toUTCString())
  expect(serverNow() - Date.now()).toBeGreaterThan(3_500_000)
  recordServerDate(new Date().toUTCString())
  expect(Math.abs(serverNow() - Date.now())).toBeLessThan(5)
})

test('a retry resumes at the stage that stopped, or at the first stage if none is completed', () => {
  const status = (...states: string[]) =>
    ({ stages: states.map((state, index) => ({ name: `s${index}`, status: state })) }) as Status
  expect(resumeFrom(status('COMPLETED', 'CANCELLED', 'SKIPPED'))).toBe('s1')
  expect(resumeFrom(status('CANCELLED', 'SKIPPED'))).toBeNull()
  expect(stoppedAt(status('COMPLETED'))).toBeNull()
})
