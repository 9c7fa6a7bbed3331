import { describe, expect, it } from 'vitest'
import { searchRoute } from '../route'
import { choices } from './facets'
import { resultCount, searchParameters } from './results'

describe('searchParameters', () => {
  it('groups by document, except inside of one', () => {
    expect(searchParameters(searchRoute({ q: 'lock' }), 0)).toMatchObject({ group: true, facets: true, offset: 0 })
    expect(searchParameters(searchRoute({ q: 'lock', document: 'd' }), 20)).toMatchObject({
      group: false,
      facets: false,
      document_id: 'd',
      offset: 20,
    })
  })

  it('sends a year as a range and leaves out what is not set', () => {
    const parameters = searchParameters(searchRoute({ q: 'lock', year: '2024', language: 'de' }), 0)
    expect(parameters).toMatchObject({
      language: ['de'],
      created_from: '2024-01-01T00:00:00Z',
      created_before: '2025-01-01T00:00:00Z',
    })
    expect(parameters).not.toHaveProperty('kind')
    expect(parameters).not.toHaveProperty('media_type')
  })
})

describe('resultCount', () => {
  it('counts passages and documents', () => {
    const results = { total: 1204, exact_total: true, documents: 1 }
    expect(resultCount(results, searchRoute())).toBe('1,204 passages in 1 document')
    expect(resultCount({ ...results, exact_total: false }, searchRoute({ document: 'd' }))).toBe('1,204+ passages')
  })
})

describe('choices', () => {
  it('has the values found, with counts, and the chosen one', () => {
    expect(choices('language', { de: 3, en: 1 }, 'ru')).toEqual([
      ['de', 'German (3)'],
      ['en', 'English (1)'],
      ['ru', 'Russian'],
    ])
    expect(choices('kind', undefined, null)).toEqual([
      ['document', 'Documents'],
      ['call', 'Calls'],
    ])
  })
})
