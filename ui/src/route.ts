// Routes of the page. They are in the URL's fragment: they work under any proxy path, and document ids and search
// texts do not reach the logs of a server.
import { useMemo } from 'react'
import { readSession, writeSession } from './parts/session'
import { createStore, useStore } from './parts/store'

/** Conditions on the documents of the library, and their order. A part that is absent is no condition. */
export interface Filters {
  status: string | null
  kind: string | null
  q: string
  /** The empty text stands for documents without a collection. */
  collection?: string | null
  tags?: readonly string[]
  /** Media types, separated by commas. */
  type?: string | null
  /** Days such as `2026-04-30`, in the time zone of the browser; both are included. */
  from?: string | null
  to?: string | null
  /** `-created` if absent. */
  sort?: string | null
}

export type Tab = 'text' | 'fields' | 'chunks' | 'connections' | 'versions' | 'history' | 'original'

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
  /** The first characters of the span, with which it is found when the text before it has changed. */
  quote: string | null
  /** The place in the text that was read last, in characters. */
  at: number | null
}

export interface SearchRoute {
  view: 'search'
  q: string
  mode: 'hybrid' | 'text' | 'vector'
  kind: string | null
  document: string | null
  language: string | null
  type: string | null
  year: string | null
  collection?: string | null
  tag?: string | null
}

export interface AskRoute {
  view: 'ask'
  /** The text with which the question begins. */
  q: string
  kind: string | null
  document: string | null
  language?: string | null
  type?: string | null
  collection?: string | null
  tag?: string | null
}

export type Route = ({ view: 'library' } & Filters) | DocumentRoute | SearchRoute | AskRoute | { view: 'operations' } | { view: 'not-found' }

const TABS: readonly string[] = ['text', 'fields', 'chunks', 'connections', 'versions', 'history', 'original']
const MODES: readonly string[] = ['hybrid', 'text', 'vector']

export function parseRoute(hash: string): Route {
  const [path = '', search = ''] = hash.replace(/^#/, '').split('?', 2)
  const params = new URLSearchParams(search)
  const parts = path.split('/').filter(Boolean).map(decode)
  if (parts.length === 0) {
    return { view: 'library', ...parseFilters(params) }
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
      quote: params.get('quote'),
      at: parseInteger(params.get('at'), 10),
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
      language: params.get('language'),
      type: params.get('type'),
      year: params.get('year'),
      ...(params.get('collection') ? { collection: params.get('collection') } : {}),
      ...(params.get('tag') ? { tag: params.get('tag') } : {}),
    }
  }
  if (parts[0] === 'ask' && parts.length === 1) {
    const conditions = ['language', 'type', 'collection', 'tag'].flatMap((name) => (params.get(name) ? [[name, params.get(name)]] : []))
    return { view: 'ask', q: params.get('q') ?? '', kind: params.get('kind'), document: params.get('document'), ...Object.fromEntries(conditions) }
  }
  if (parts[0] === 'operations' && parts.length === 1) return { view: 'operations' }
  return { view: 'not-found' }
}

export function hrefTo(route: Route): string {
  switch (route.view) {
    case 'library':
      return `#/${filterQuery(route)}`
    case 'document': {
      const { tab, chunk, page, ordinal, quote, at } = route
      const params = query({ tab, page, chunk, n: ordinal, span: route.span?.join('-'), quote, at })
      return `#/documents/${encodeURIComponent(route.id)}${params}`
    }
    case 'search': {
      const mode = route.mode === 'hybrid' ? null : route.mode
      const { q, kind, document, language, type, year, collection, tag } = route
      return `#/search${query({ q, mode, kind, document, language, type, year, collection, tag })}`
    }
    case 'ask': {
      const { q, kind, document, language, type, collection, tag } = route
      return `#/ask${query({ q, kind, document, language, type, collection, tag })}`
    }
    case 'operations':
      return '#/operations'
    case 'not-found':
      return '#/'
  }
}

function parseFilters(params: URLSearchParams): Filters {
  const tags = params.getAll('tag')
  return {
    status: params.get('status'),
    kind: params.get('kind'),
    q: params.get('q') ?? '',
    ...(params.has('collection') ? { collection: params.get('collection') } : {}),
    ...(tags.length ? { tags } : {}),
    ...(params.get('type') ? { type: params.get('type') } : {}),
    ...(isDay(params.get('from')) ? { from: params.get('from') } : {}),
    ...(isDay(params.get('to')) ? { to: params.get('to') } : {}),
    ...(params.get('sort') ? { sort: params.get('sort') } : {}),
  }
}

function filterQuery({ status, kind, q, collection, tags, type, from, to, sort }: Filters): string {
  const params = new URLSearchParams(query({ status, kind, q, type, from, to, sort }))
  if (collection !== null && collection !== undefined) params.set('collection', collection)
  for (const tag of tags ?? []) params.append('tag', tag)
  const text = params.toString()
  return text ? `?${text}` : ''
}

function isDay(text: string | null): boolean {
  return text !== null && /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text))
}

/** Whether any condition is set; the order is none. */
export function isFiltered({ status, kind, q, collection, tags, type, from, to }: Filters): boolean {
  return Boolean(status || kind || q || type || from || to || tags?.length) || (collection ?? null) !== null
}

export function searchRoute(options: Partial<Omit<SearchRoute, 'view'>> = {}): SearchRoute {
  const none = { kind: null, document: null, language: null, type: null, year: null }
  return { view: 'search', q: '', mode: 'hybrid', ...none, ...options }
}

export function documentRoute(id: string, options: Partial<Omit<DocumentRoute, 'view' | 'id'>> = {}): DocumentRoute {
  return { view: 'document', id, tab: null, chunk: null, ordinal: null, page: null, span: null, quote: null, at: null, ...options }
}

export const askRoute: AskRoute = { view: 'ask', q: '', kind: null, document: null }

export const libraryRoute: Route & { view: 'library' } = { view: 'library', status: null, kind: null, q: '' }

const hash = createStore(typeof location === 'undefined' ? '' : location.hash)
if (typeof window !== 'undefined') window.addEventListener('hashchange', () => hash.set(location.hash))

/** The view from which a document was opened: the last one that was no document. */
const ORIGIN_KEY = 'towpath.origin'
function rememberOrigin(): void {
  const { view } = parseRoute(hash.get())
  if (view !== 'document' && view !== 'not-found') writeSession(ORIGIN_KEY, hash.get())
}
rememberOrigin()
hash.subscribe(rememberOrigin)

export function originRoute(): Route {
  return parseRoute(readSession(ORIGIN_KEY) ?? '')
}

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

/** Writes the place that is being read into the address. Views are not drawn again: they are at that place. */
export function replacePlace(at: number): void {
  const route = parseRoute(location.hash)
  if (route.view === 'document') history.replaceState(history.state, '', hrefTo({ ...route, at }))
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

function parseInteger(text: string | null, digits = 7): number | null {
  return text !== null && /^\d+$/.test(text) && text.length <= digits ? Number(text) : null
}

function parseSpan(text: string | null): [number, number] | null {
  const match = /^(\d{1,10})-(\d{1,10})$/.exec(text ?? '')
  return match ? [Number(match[1]), Number(match[2])] : null
}
