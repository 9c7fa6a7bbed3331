// Where the reader is. Places live behind `#`: they need nothing of the server, work under any proxy path,
// and names of documents and queries never reach a log.
import { useMemo } from 'react'
import { createStore, useStore } from './parts/store'

export interface Filters {
  status: string | null
  kind: string | null
  q: string
}

export type Tab = 'reading' | 'fields' | 'passages' | 'connections' | 'history' | 'original'

export interface DocumentPlace {
  view: 'document'
  id: string
  tab: Tab | null
  chunk: string | null
  /** The chunk's number, so that it is found without reading them all. */
  ordinal: number | null
  page: number | null
  /** A span of the markdown, in characters: what a field or a connection points at. */
  span: [number, number] | null
}

export interface SearchPlace {
  view: 'search'
  q: string
  mode: 'hybrid' | 'text' | 'vector'
  kind: string | null
  document: string | null
}

export type Place = ({ view: 'library' } & Filters) | DocumentPlace | SearchPlace | { view: 'operations' } | { view: 'lost' }

const TABS: readonly string[] = ['reading', 'fields', 'passages', 'connections', 'history', 'original']
const MODES: readonly string[] = ['hybrid', 'text', 'vector']

export function readPlace(hash: string): Place {
  const [path = '', search = ''] = hash.replace(/^#/, '').split('?', 2)
  const asked = new URLSearchParams(search)
  const parts = path.split('/').filter(Boolean).map(unquote)
  if (parts.length === 0) {
    return { view: 'library', status: asked.get('status'), kind: asked.get('kind'), q: asked.get('q') ?? '' }
  }
  if (parts[0] === 'documents' && parts.length === 2 && parts[1]) {
    const tab = asked.get('tab')
    return {
      view: 'document',
      id: parts[1],
      tab: tab !== null && TABS.includes(tab) ? (tab as Tab) : null,
      chunk: asked.get('chunk'),
      ordinal: whole(asked.get('n')),
      page: whole(asked.get('page')),
      span: span(asked.get('span')),
    }
  }
  if (parts[0] === 'search' && parts.length === 1) {
    const mode = asked.get('mode') ?? 'hybrid'
    return {
      view: 'search',
      q: asked.get('q') ?? '',
      mode: (MODES.includes(mode) ? mode : 'hybrid') as SearchPlace['mode'],
      kind: asked.get('kind'),
      document: asked.get('document'),
    }
  }
  if (parts[0] === 'operations' && parts.length === 1) return { view: 'operations' }
  return { view: 'lost' }
}

export function hrefTo(place: Place): string {
  switch (place.view) {
    case 'library':
      return `#/${query({ status: place.status, kind: place.kind, q: place.q })}`
    case 'document': {
      const { tab, chunk, page, ordinal } = place
      const asked = query({ tab, page, chunk, n: ordinal, span: place.span?.join('-') })
      return `#/documents/${encodeURIComponent(place.id)}${asked}`
    }
    case 'search': {
      const mode = place.mode === 'hybrid' ? null : place.mode
      return `#/search${query({ q: place.q, mode, kind: place.kind, document: place.document })}`
    }
    case 'operations':
      return '#/operations'
    case 'lost':
      return '#/'
  }
}

export function documentPlace(id: string, more: Partial<Omit<DocumentPlace, 'view' | 'id'>> = {}): DocumentPlace {
  return { view: 'document', id, tab: null, chunk: null, ordinal: null, page: null, span: null, ...more }
}

export const library: Place = { view: 'library', status: null, kind: null, q: '' }

const hash = createStore(typeof location === 'undefined' ? '' : location.hash)
if (typeof window !== 'undefined') window.addEventListener('hashchange', () => hash.set(location.hash))

export function usePlace(): Place {
  const now = useStore(hash)
  return useMemo(() => readPlace(now), [now])
}

export function go(place: Place): void {
  location.hash = hrefTo(place)
}

/** The same place seen differently, as while typing: the back button should not count every letter. */
export function adjust(place: Place): void {
  history.replaceState(history.state, '', hrefTo(place))
  hash.set(location.hash)
}

function query(values: Record<string, string | number | null | undefined>): string {
  const asked = new URLSearchParams()
  for (const [name, value] of Object.entries(values)) {
    if (value !== null && value !== undefined && value !== '') asked.set(name, String(value))
  }
  const text = asked.toString()
  return text ? `?${text}` : ''
}

function unquote(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

function whole(text: string | null): number | null {
  return text !== null && /^\d{1,7}$/.test(text) ? Number(text) : null
}

function span(text: string | null): [number, number] | null {
  const found = /^(\d{1,10})-(\d{1,10})$/.exec(text ?? '')
  return found ? [Number(found[1]), Number(found[2])] : null
}
