import { describe, expect, test } from 'vitest'
import { filterBody, filterParameters, matchesFilters, NO_FILTERS } from './filter'
import type { Document } from './list'
import { parseSaved, withSaved } from './saved-filters'
import { chosenItems } from '../uploads/dropped-files'

const document = {
  id: 'a',
  name: 'Invoice 7.pdf',
  status: 'COMPLETED',
  kind: 'document',
  media_type: 'application/pdf',
  collection: 'Invoices',
  tags: ['paid', 'urgent'],
  created_at: '2026-03-10T12:00:00Z',
} as unknown as Document

describe('filters as requests', () => {
  test('no filter sends no parameter', () => {
    expect(filterParameters(NO_FILTERS)).toEqual({})
    expect(filterBody(NO_FILTERS)).toEqual({})
  })

  test('the last day of a range is included', () => {
    const { created_from, created_before } = filterParameters({ ...NO_FILTERS, from: '2026-03-10', to: '2026-03-10' })
    expect(Date.parse(created_before!) - Date.parse(created_from!)).toBe(86_400_000)
  })

  test('documents without a collection are a choice of their own', () => {
    expect(filterParameters({ ...NO_FILTERS, collection: '' })).toEqual({ collection: [''] })
    expect(filterBody({ ...NO_FILTERS, collection: '', tags: ['paid'] })).toEqual({ collections: [''], tags: ['paid'] })
  })
})

describe('an uploaded document', () => {
  test.each([
    [{}, true],
    [{ tags: ['paid'] }, true],
    [{ tags: ['paid', 'late'] }, false],
    [{ collection: 'Invoices' }, true],
    [{ collection: '' }, false],
    [{ type: 'text/plain' }, false],
    [{ from: '2026-03-01', to: '2026-03-31' }, true],
    [{ to: '2026-03-01' }, false],
    [{ q: 'INVOICE' }, true],
  ])('with the filters %o is listed: %s', (filters, listed) => {
    expect(matchesFilters(document, { ...NO_FILTERS, ...filters })).toBe(listed)
  })
})

describe('saved filters', () => {
  test('a stored text that is no list of filters is ignored', () => {
    for (const text of [null, '', '{}', '[1, {"name": "x"}]', '[{"name": "x", "href": "javascript:alert(1)"}]']) {
      expect(parseSaved(text)).toEqual([])
    }
  })

  test('a filter with a known name replaces it', () => {
    const saved = withSaved([{ name: 'b', href: '#/?q=1' }, { name: 'a', href: '#/?q=2' }], { name: 'b', href: '#/?q=3' })
    expect(saved).toEqual([{ name: 'a', href: '#/?q=2' }, { name: 'b', href: '#/?q=3' }])
    expect(parseSaved(JSON.stringify(saved))).toEqual(saved)
  })
})

test('the sub-folders of a chosen folder are collections', () => {
  const file = (path: string) =>
    Object.defineProperty(new File(['x'], path.split('/').pop()!), 'webkitRelativePath', { value: path })
  const items = chosenItems([file('in/a.txt'), file('in/letters/b.txt'), file('in/letters/old/c.txt'), file('in/.DS_Store')])
  expect(items.map(({ collection }) => collection)).toEqual([null, 'letters', 'letters'])
})
