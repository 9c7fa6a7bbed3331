import { describe, expect, test } from 'vitest'
import { documentRoute, hrefTo, type Route, parseRoute } from './route'

const routes: Route[] = [
  { view: 'library', status: null, kind: null, q: '' },
  { view: 'library', status: 'FAILED', kind: 'call', q: 'a&b #1' },
  { view: 'library', status: null, kind: null, q: '', collection: '', tags: ['a b', 'c&d'], from: '2026-01-31', sort: 'name' },
  documentRoute('0198-x'),
  documentRoute('a/b?c#d', { tab: 'fields', chunk: 'c1', ordinal: 7, page: 3, span: [10, 20] }),
  { view: 'search', q: '100 % “sure” + more', mode: 'text', kind: null, document: 'd', language: 'de', type: null, year: '2024' },
  { view: 'ask', q: 'Why? & how', kind: 'call', document: 'd' },
  { view: 'operations' },
]

describe('routes', () => {
  test.each(routes)('%o is parsed back from its URL', (route) => expect(parseRoute(hrefTo(route))).toEqual(route))

  test('an invalid URL gives the not-found route or defaults', () => {
    expect(parseRoute('#/documents')).toEqual({ view: 'not-found' })
    expect(parseRoute('#/documents/%E0%A4%A')).toMatchObject({ view: 'document', id: '%E0%A4%A' })
    expect(parseRoute('#/documents/x?page=-1&span=a-b&tab=evil')).toEqual(documentRoute('x'))
    expect(parseRoute('#/search?mode=evil')).toMatchObject({ mode: 'hybrid' })
  })
})
