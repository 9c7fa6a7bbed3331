import { describe, expect, test } from 'vitest'
import type { Status } from '../api/status'
import { nextPoll, settled, wanted } from './feed'
import { type Document, extended, type List, refreshed, titleOf, withArrival, without } from './list'
import { nothing, pruned, reached, toggled } from './selection'

const document = (id: string, status = 'COMPLETED') => ({ id, status, name: `${id}.txt` }) as Document
const list = (ids: string, nextCursor: string | null = null, total = ids.length): List => ({
  documents: [...ids].map((id) => document(id)),
  nextCursor,
  total,
})
const ids = (from: List) => from.documents.map((one) => one.id).join('')

describe('titles', () => {
  test('a title is told where it says more than the name', () => {
    const named = (title: string | null) => titleOf({ ...document('a'), title })
    expect(named('The Lock Keeper')).toBe('The Lock Keeper')
    expect(named('a.txt')).toBe(null)
    expect(named('| Year | Tolls |')).toBe(null)
    expect(named(null)).toBe(null)
  })
})

describe('a list that is refreshed from its head', () => {
  test('new documents come on top and what lies below stays', () => {
    const fresh = refreshed(list('bcdefg', 'after-g', 9), list('abc', 'after-c', 10))
    expect(ids(fresh)).toBe('abcdefg')
    expect(fresh).toMatchObject({ nextCursor: 'after-g', total: 10 })
  })

  test('documents deleted elsewhere go', () => {
    expect(ids(refreshed(list('abcdef', 'after-f', 9), list('acd', 'after-d', 8)))).toBe('acdef')
  })

  test('when everything in sight is new, the list starts anew', () => {
    const fresh = refreshed(list('xyz', 'after-z', 3), list('abc', 'after-c', 6))
    expect(ids(fresh)).toBe('abc')
    expect(fresh.nextCursor).toBe('after-c')
  })

  test('a head that is everything replaces everything', () => {
    expect(ids(refreshed(list('abcd', null), list('ab', null)))).toBe('ab')
  })

  test('further pages are appended without repeating anybody', () => {
    const longer = extended(list('abc', 'after-c', 6), list('cdef', null, 6))
    expect(ids(longer)).toBe('abcdef')
    expect(longer.nextCursor).toBeNull()
  })

  test('arrivals are counted once, twins change in place, departures leave', () => {
    expect(withArrival(list('bc'), document('a'))).toMatchObject({ total: 3 })
    const twin = withArrival(list('abc'), document('b', 'PROCESSING'))
    expect(ids(twin)).toBe('abc')
    expect(twin.documents[1]!.status).toBe('PROCESSING')
    expect(without(list('abc'), 'b')).toMatchObject({ total: 2 })
  })
})

describe('what is polled', () => {
  const known = (status: string, ...stages: string[]) => ({ status, stages: stages.map((one) => ({ status: one })) }) as Status

  test('only rows in sight that move, are unknown, or have changed since', () => {
    const rows = [document('a', 'PROCESSING'), document('b'), document('c', 'FAILED'), document('d', 'COMPLETED')]
    const statuses: Record<string, Status> = { a: known('PROCESSING'), b: known('COMPLETED'), d: known('PROCESSING') }
    expect(wanted(rows, (id) => statuses[id])).toEqual(['a', 'c', 'd'])
  })

  test('a ready one, too, while its connections are sought', () => {
    const sought = known('COMPLETED', 'COMPLETED', 'PENDING')
    const found = known('COMPLETED', 'COMPLETED', 'COMPLETED')
    expect(wanted([document('a'), document('b')], (id) => (id === 'a' ? sought : found))).toEqual(['a'])
    expect(nextPoll([{ ...sought, poll_after_ms: null }])).toBe(3_000)
    expect(nextPoll([{ ...found, poll_after_ms: null }])).toBe(false)
  })

  test('as soon as the most impatient wishes, never when nobody does', () => {
    const wishes = (...after: (number | null)[]) => after.map((poll_after_ms) => ({ poll_after_ms }) as Status)
    expect(nextPoll(wishes(15_000, 1_000, null))).toBe(1_000)
    expect(nextPoll(wishes(10))).toBe(500)
    expect(nextPoll(wishes(900_000))).toBe(15_000)
    expect(nextPoll(wishes(null, null))).toBe(false)
    expect(nextPoll([])).toBe(false)
  })

  test('rows whose status has moved on are read again', () => {
    const rows = [document('a', 'PROCESSING'), document('b', 'PROCESSING'), document('c', 'COMPLETED')]
    const statuses = [
      { document_id: 'a', status: 'COMPLETED' },
      { document_id: 'b', status: 'PROCESSING' },
    ] as Status[]
    expect(settled(rows, statuses)).toEqual(['a'])
  })
})

describe('choosing rows', () => {
  test('one by one, and from one to another', () => {
    const one = toggled(nothing, 'b')
    expect([...reached(one, 'd', [...'abcde']).ids]).toEqual(['b', 'c', 'd'])
    expect([...reached(one, 'a', [...'abcde']).ids].sort()).toEqual(['a', 'b'])
    expect(toggled(one, 'b').ids.size).toBe(0)
  })

  test('what is gone is no longer chosen', () => {
    expect([...pruned(reached(toggled(nothing, 'a'), 'c', [...'abc']), ['a', 'c']).ids]).toEqual(['a', 'c'])
  })
})
