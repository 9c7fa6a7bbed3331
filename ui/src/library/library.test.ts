import { describe, expect, test } from 'vitest'
import type { Status } from '../api/status'
import { changedIds, idsToPoll, nextPoll } from './feed'
import { appendPage, type Document, type List, mergeFirstPage, titleOf, withDocument, withoutDocument } from './list'
import { emptySelection, extendSelection, listedOnly, prune, selectAll, toggle } from './selection'

const document = (id: string, status = 'COMPLETED') => ({ id, status, name: `${id}.txt` }) as Document
const list = (ids: string, nextCursor: string | null = null, total = ids.length): List => ({
  documents: [...ids].map((id) => document(id)),
  nextCursor,
  total,
})
const ids = (from: List) => from.documents.map((one) => one.id).join('')

describe('titles', () => {
  test('a title is shown if it differs from the file name', () => {
    const named = (title: string | null) => titleOf({ ...document('a'), title })
    expect(named('The Lock Keeper')).toBe('The Lock Keeper')
    expect(named('a.txt')).toBe(null)
    expect(named('| Year | Tolls |')).toBe(null)
    expect(named(null)).toBe(null)
  })
})

describe('merging a new first page', () => {
  test('new documents come first and further pages stay', () => {
    const merged = mergeFirstPage(list('bcdefg', 'after-g', 9), list('abc', 'after-c', 10))
    expect(ids(merged)).toBe('abcdefg')
    expect(merged).toMatchObject({ nextCursor: 'after-g', total: 10 })
  })

  test('deleted documents disappear', () => {
    expect(ids(mergeFirstPage(list('abcdef', 'after-f', 9), list('acd', 'after-d', 8)))).toBe('acdef')
  })

  test('without a common document the list starts again', () => {
    const merged = mergeFirstPage(list('xyz', 'after-z', 3), list('abc', 'after-c', 6))
    expect(ids(merged)).toBe('abc')
    expect(merged.nextCursor).toBe('after-c')
  })

  test('a first page that is complete replaces the list', () => {
    expect(ids(mergeFirstPage(list('abcd', null), list('ab', null)))).toBe('ab')
  })

  test('further pages are appended without duplicates', () => {
    const longer = appendPage(list('abc', 'after-c', 6), list('cdef', null, 6))
    expect(ids(longer)).toBe('abcdef')
    expect(longer.nextCursor).toBeNull()
  })

  test('documents are added once, updated in place and removed', () => {
    expect(withDocument(list('bc'), document('a'))).toMatchObject({ total: 3 })
    const updated = withDocument(list('abc'), document('b', 'PROCESSING'))
    expect(ids(updated)).toBe('abc')
    expect(updated.documents[1]!.status).toBe('PROCESSING')
    expect(withoutDocument(list('abc'), 'b')).toMatchObject({ total: 2 })
  })
})

describe('polling', () => {
  const cached = (status: string, ...stages: string[]) => ({ status, stages: stages.map((one) => ({ status: one })) }) as Status

  test('rows that are processing, have no cached status or have changed', () => {
    const rows = [document('a', 'PROCESSING'), document('b'), document('c', 'FAILED'), document('d', 'COMPLETED')]
    const statuses: Record<string, Status> = { a: cached('PROCESSING'), b: cached('COMPLETED'), d: cached('PROCESSING') }
    expect(idsToPoll(rows, (id) => statuses[id])).toEqual(['a', 'c', 'd'])
  })

  test('a completed document while its connect stage is pending', () => {
    const pending = cached('COMPLETED', 'COMPLETED', 'PENDING')
    const done = cached('COMPLETED', 'COMPLETED', 'COMPLETED')
    expect(idsToPoll([document('a'), document('b')], (id) => (id === 'a' ? pending : done))).toEqual(['a'])
    expect(nextPoll([{ ...pending, poll_after_ms: null }])).toBe(3_000)
    expect(nextPoll([{ ...done, poll_after_ms: null }])).toBe(false)
  })

  test('the shortest delay counts; without any there is no poll', () => {
    const delays = (...after: (number | null)[]) => after.map((poll_after_ms) => ({ poll_after_ms }) as Status)
    expect(nextPoll(delays(15_000, 1_000, null))).toBe(1_000)
    expect(nextPoll(delays(10))).toBe(500)
    expect(nextPoll(delays(900_000))).toBe(15_000)
    expect(nextPoll(delays(null, null))).toBe(false)
    expect(nextPoll([])).toBe(false)
  })

  test('rows with another status are fetched again', () => {
    const rows = [document('a', 'PROCESSING'), document('b', 'PROCESSING'), document('c', 'COMPLETED')]
    const statuses = [
      { document_id: 'a', status: 'COMPLETED' },
      { document_id: 'b', status: 'PROCESSING' },
    ] as Status[]
    expect(changedIds(rows, statuses)).toEqual(['a'])
  })
})

describe('selecting rows', () => {
  test('one by one, and as a range', () => {
    const one = toggle(emptySelection, 'b')
    expect([...extendSelection(one, 'd', [...'abcde']).ids]).toEqual(['b', 'c', 'd'])
    expect([...extendSelection(one, 'a', [...'abcde']).ids].sort()).toEqual(['a', 'b'])
    expect(toggle(one, 'b').ids.size).toBe(0)
  })

  test('removed rows are no longer selected', () => {
    expect([...prune(extendSelection(toggle(emptySelection, 'a'), 'c', [...'abc']), ['a', 'c'], '#/').ids]).toEqual(['a', 'c'])
  })

  test('all that match are selected until a row is changed or the filters are', () => {
    const all = selectAll(toggle(emptySelection, 'a'), '#/?tag=x')
    expect(prune(all, ['a', 'b', 'c'], '#/?tag=x')).toBe(all)
    const others = prune(all, ['a', 'd'], '#/')
    expect([others.all, [...others.ids]]).toEqual([null, ['a']])
    const without = toggle(listedOnly(all, ['a', 'b', 'c']), 'b')
    expect([without.all, [...without.ids]]).toEqual([null, ['a', 'c']])
  })
})
