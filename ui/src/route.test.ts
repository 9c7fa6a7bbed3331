import { describe, expect, test } from 'vitest'
import { documentPlace, hrefTo, type Place, readPlace } from './route'

const places: Place[] = [
  { view: 'library', status: null, kind: null, q: '' },
  { view: 'library', status: 'FAILED', kind: 'call', q: 'a&b #1' },
  documentPlace('0198-x'),
  documentPlace('a/b?c#d', { tab: 'fields', chunk: 'c1', ordinal: 7, page: 3, span: [10, 20] }),
  { view: 'search', q: '100 % “sure” + more', mode: 'text', kind: null, document: 'd' },
  { view: 'operations' },
]

describe('addresses', () => {
  test.each(places)('%o comes back as it went', (place) => expect(readPlace(hrefTo(place))).toEqual(place))

  test('nonsense leads nowhere, not astray', () => {
    expect(readPlace('#/documents')).toEqual({ view: 'lost' })
    expect(readPlace('#/documents/%E0%A4%A')).toMatchObject({ view: 'document', id: '%E0%A4%A' })
    expect(readPlace('#/documents/x?page=-1&span=a-b&tab=evil')).toEqual(documentPlace('x'))
    expect(readPlace('#/search?mode=evil')).toMatchObject({ mode: 'hybrid' })
  })
})
