import { expect, test } from 'vitest'
import { timingPoints } from './analysis'
import { type Connection, groupConnections, mergePages, nextCursor, reasonText, withoutHeadings } from './connections'
import { checkText, nameText, schemasOf, valueText } from './fields'
import { pageOfText } from './pdf-pages'
import { isTurn, segmentAt, type Segment, turnsOf, withSilences } from './transcript'

test('a position in a recording belongs to the segment that started last', () => {
  const lines = [{ start: 1 }, { start: 5 }, { start: 9 }]
  expect([0, 1, 4.9, 5, 100].map((position) => segmentAt(lines, position))).toEqual([-1, 0, 0, 1, 2])
})

test('connections are grouped by document: pinned ones and the best first, hidden ones only on request', () => {
  const connection = (id: string, document: string, score: number, marks: Partial<Connection> = {}) =>
    ({ id, score, pinned: false, hidden: false, kind: 'same_subject', other: { document_id: document }, ...marks }) as Connection
  const all = [
    connection('a', 'x', 0.5),
    connection('b', 'y', 0.9),
    connection('c', 'x', 0.1, { pinned: true, kind: 'quotation' }),
    connection('d', 'y', 1, { hidden: true }),
  ]
  const ids = (options: Parameters<typeof groupConnections>[1]) =>
    groupConnections(all, options).map(({ connections }) => connections.map(({ id }) => id))
  expect(ids({ withHidden: false, kind: null })).toEqual([['c', 'a'], ['b']])
  expect(ids({ withHidden: true, kind: null })).toEqual([['c', 'a'], ['d', 'b']])
  expect(ids({ withHidden: true, kind: 'quotation' })).toEqual([['c']])
})

test('fields of schemas are grouped by schema, and unverified ones are marked', () => {
  const fields = [{ schema: null }, { schema: 'invoice' }, { schema: 'invoice' }, { schema: 'lease' }]
  expect(schemasOf(fields)).toEqual(['invoice', 'lease'])
  expect(nameText('line_items[0].unit_price')).toBe('Line items 1 · unit price')
  expect(valueText({ name: 'language', value: 'de' })).toBe('German')
  expect(valueText({ name: 'created', value: '2014-08-03T21:14:37Z' })).toContain('2014')
  expect(valueText({ name: 'created', value: '2014-08-03T21:14:37Z' })).not.toContain('T21')
  expect(valueText({ name: 'date', value: '2014-08-03' })).toBe('2014-08-03')
  expect(checkText({ confidence: 0.5, schema: null })).toBe('confidence 50 %')
  expect(checkText({ confidence: 0.9, schema: 'invoice', verified: true })).toBe(null)
  expect(checkText({ confidence: 0.3, schema: 'invoice', verified: false })).toBe('its quotation is not in the text')
})

test('the reason names identifiers and terms', () => {
  const reason = (marks: Partial<Connection>) =>
    reasonText({ kind: 'same_subject', shared_terms: [], shared_identifiers: [], ...marks } as unknown as Connection)
  expect(reason({})).toBe('Similar meaning')
  expect(reason({ shared_terms: ['lock', 'canal'] })).toBe('Shared terms: lock, canal')
  expect(reason({ kind: 'quotation', shared_identifiers: ['INV-1'] })).toBe('Common text. Shared identifiers: INV-1')
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

test('segments of one speaker in a row are one turn, and silences stand between turns', () => {
  const segment = (speaker: string | null, start: number): Segment => ({ text: 'words', speaker, start, end: start + 1, words: [] })
  const segments = [segment('Speaker 1', 0), segment('Speaker 1', 2), segment('Speaker 2', 9), segment(null, 12)]
  const turns = turnsOf(segments)
  expect(turns.map(({ speaker, segments: lines }) => [speaker, lines.length])).toEqual([['Speaker 1', 2], ['Speaker 2', 1], [null, 1]])
  expect(withSilences(turns, [{ start: 3, end: 9 }]).map((entry) => isTurn(entry))).toEqual([true, false, true, true])
  const names = new Map([['Speaker 1', 'Ada'], ['Speaker 2', 'Ada']])
  expect(turnsOf(segments, names).map(({ speaker, segments: lines }) => [speaker, lines.length])).toEqual([['Ada', 3], [null, 1]])
})

test('a page is found by its printed number, else by its number', () => {
  const labels = ['i', 'ii', '1', '2']
  expect(pageOfText('2', 4, labels)).toBe(4)
  expect(pageOfText(' II ', 4, labels)).toBe(2)
  expect(pageOfText('3', 4, labels)).toBe(3)
  expect(pageOfText('9', 4, labels)).toBe(null)
  expect(pageOfText('3', 4, null)).toBe(3)
})

test('the silences of a call are one line, and speakers have their names', () => {
  const data = {
    longest_monologue: { speaker: 'Speaker 1', start: 4, end: 30 },
    interruptions: [{ speaker: 'Speaker 2', interrupted: 'Speaker 1', start: 9 }],
    silences: [{ start: 1, end: 4 }, { start: 40, end: 52 }],
  }
  expect(timingPoints(data, new Map([['Speaker 1', 'Ada']])).map(({ text, start }) => [text, start])).toEqual([
    ['Longest monologue: Ada, 26 s', 4],
    ['Speaker 2 interrupts Ada', 9],
    ['2 silences, 15 s in all', 40],
  ])
})
