// Routes of the page. They are in the URL's fragment: they work under any proxy path, and document ids and search
// texts do not reach the logs of a server.
import { useMemo } from 'react'
import { createStore, useStore } from './parts/store'

export interface Filters {
  status: string | null
  kind: string | null
  q: string
}

export type Tab = 'text' | 'fields' | 'chunks' | 'connections' | 'history' | 'original'

export interface DocumentRoute {
  view: 'document'
  id: string
  tab: Tab | null
  chunk: string | null
  /** The chunk's number, with which it is fetched alone. */
  ordinal: number | null
  page: number | null
  /** The span of a field or connection in the markdown, in characters. */
  span: [number, number] | null
}

export interface SearchRoute {
  view: 'search'
  q: string
  mode: 'hybrid' | 'text' | 'vector'
  kind: string | null
  document: string | null
}

export type Route = ({ view: 'library' } & Filters) | DocumentRoute | SearchRoute | { view: 'operations' } | { view: 'not-found' }

const TABS: readonly string[] = ['text', 'fields', 'chunks', 'connections', 'history', 'original']
const MODES: readonly string[] = ['hybrid', 'text', 'vector']

export function parseRoute(hash: string): Route {
  const [path = '', search = ''] = hash.replace(/^#/, '').split('?', 2)
  const params = new URLSearchParams(search)
  const parts = path.split('/').filter(Boolean).map(decode)
  if (parts.length === 0) {
    return { view: 'library', status: params.get('status'), kind: params.get('kind'), q: params.get('q') ?? '' }
  }
  if (parts[0] === 'documents' && parts.length === 2 && parts[1]) {
    const tab = params.get('tab')
    return {
      view: 'document',
      id: parts[1],
      tab: tab !== null && TABS.includes(tab) ? (tab as Tab) : null,
      chunk: params.get('chunk'),
      ordinal: parseInteger(params.get('n')),
      page: parseInteger(params.get('page')),
      span: parseSpan(params.get('span')),
    }
  }
  if (parts[0] === 'search' && parts.length === 1) {
    const mode = params.get('mode') ?? 'hybrid'
    return {
      view: 'search',
      q: params.get('q') ?? '',
      mode: (MODES.includes(mode) ? mode : 'hybrid') as SearchRoute['mode'],
      kind: params.get('kind'),
      document: params.get('document'),
    }
  }
  if (parts[0] === 'operations' && parts.length === 1) return { view: 'operations' }
  return { view: 'not-found' }
}

export function hrefTo(route: Route): string {
  switch (route.view) {
    case 'library':
      return `#/${query({ status: route.status, kind: route.kind, q: route.q })}`
    case 'document': {
      const { tab, chunk, page, ordinal } = route
      const params = query({ tab, page, chunk, n: ordinal, span: route.span?.join('-') })
      return `#/documents/${encodeURIComponent(route.id)}${params}`
    }
    case 'search': {
      const mode = route.mode === 'hybrid' ? null : route.mode
      return `#/search${query({ q: route.q, mode, kind: route.kind, document: route.document })}`
    }
    case 'operations':
      return '#/operations'
    case 'not-found':
      return '#/'
  }
}

export function documentRoute(id: string, options: Partial<Omit<DocumentRoute, 'view' | 'id'>> = {}): DocumentRoute {
  return { view: 'document', id, tab: null, chunk: null, ordinal: null, page: null, span: null, ...options }
}

export const libraryRoute: Route = { view: 'library', status: null, kind: null, q: '' }

const hash = createStore(typeof location === 'undefined' ? '' : location.hash)
if (typeof window !== 'undefined') window.addEventListener('hashchange', () => hash.set(location.hash))

export function useRoute(): Route {
  const current = useStore(hash)
  return useMemo(() => parseRoute(current), [current])
}

export function navigate(route: Route): void {
  location.hash = hrefTo(route)
}

/** Replaces the route without a history entry, as while typing. */
export function replaceRoute(route: Route): void {
  history.replaceState(history.state, '', hrefTo(route))
  hash.set(location.hash)
}

function query(values: Record<string, string | number | null | undefined>): string {
  const params = new URLSearchParams()
  for (const [name, value] of Object.entries(values)) {
    if (value !== null && value !== undefined && value !== '') params.set(name, String(value))
  }
  const text = params.toString()
  return text ? `?${text}` : ''
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

function parseInteger(text: string | null): number | null {
  return text !== null && /^\d{1,7}$/.test(text) ? Number(text) : null
}

function parseSpan(text: string | null): [number, number] | null {
  const match = /^(\d{1,10})-(\d{1,10})$/.exec(text ?? '')
  return match ? [Number(match[1]), Number(match[2])] : null
}
