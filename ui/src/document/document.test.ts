import { expect, test } from 'vitest'
import { type Connection, mergePages, nextCursor, sortConnections, withoutHeadings } from './connections'
import { segmentAt } from './transcript'

test('a position in a recording belongs to the segment that started last', () => {
  const lines = [{ start: 1 }, { start: 5 }, { start: 9 }]
  expect([0, 1, 4.9, 5, 100].map((position) => segmentAt(lines, position))).toEqual([-1, 0, 0, 1, 2])
})

test('pinned connections come first and hidden ones only on request', () => {
  const connection = (id: string, score: number, pinned = false, hidden = false) => ({ id, score, pinned, hidden }) as Connection
  const all = [connection('a', 0.5), connection('b', 0.9), connection('c', 0.1, true), connection('d', 1, false, true)]
  expect(sortConnections(all, false).map(({ id }) => id)).toEqual(['c', 'b', 'a'])
  expect(sortConnections(all, true).map(({ id }) => id)).toEqual(['c', 'd', 'b', 'a'])
})

test('pages of connections are merged without duplicates', () => {
  const page = (ids: string) => [...ids].map((id) => ({ id }) as Connection)
  expect(nextCursor(page('abc'), 3)).toBe('c')
  expect(nextCursor(page('ab'), 3)).toBe(null)
  expect(nextCursor(null, 3)).toBe(null)
  expect(mergePages([page('abc'), page('cd')])?.map(({ id }) => id)).toEqual(['a', 'b', 'c', 'd'])
  expect(mergePages([null])).toBe(null)
})

test('leading headings are removed from a chunk unless it has nothing else', () => {
  expect(withoutHeadings('# Canals\n\n## Locks\n\nThey open. # not a heading')).toBe('They open. # not a heading')
  expect(withoutHeadings('#hashtag first')).toBe('#hashtag first')
  expect(withoutHeadings('# Only a heading')).toBe('# Only a heading')
})
