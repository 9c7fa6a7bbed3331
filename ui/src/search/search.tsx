// The search view. Results are updated while typing; arrow keys move between them, Enter opens one.
import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query'
import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { anchorOf } from '../api/anchor'
import { api, unwrap, type View } from '../api/client'
import { documentQuery } from '../api/queries'
import { Icon } from '../parts/icon'
import { Empty, Loading, ErrorNotice } from '../parts/notices'
import { useTitle } from '../parts/title'
import { documentRoute, hrefTo, navigate, replaceRoute, type SearchRoute } from '../route'
import { timecode } from '../words/format'
import { Snippet } from './snippet'

/** openapi-fetch widens the tuples of `highlights` to arrays. */
type Hit = Omit<View<'HitView'>, 'highlights'> & { highlights: number[][] }

/** Milliseconds after the last key press before the search starts. */
const DEBOUNCE = 120
const MODES: [SearchRoute['mode'], string, string][] = [
  ['hybrid', 'Best match', 'Combines exact words and similar meaning'],
  ['text', 'Exact words', 'Results contain the words of the query'],
  ['vector', 'Similar meaning', 'Results are close in meaning to the query'],
]

const searchQuery = ({ q, mode, kind, document }: SearchRoute, limit: number) =>
  queryOptions({
    queryKey: ['search', q, mode, kind, document, limit],
    queryFn: ({ signal }) =>
      unwrap(
        api.GET('/search', {
          params: {
            query: {
              q,
              mode,
              limit,
              ...(kind ? { kind: kind as 'call' } : {}),
              ...(document ? { document_id: document } : {}),
            },
          },
          signal,
        }),
      ),
    enabled: q.trim() !== '',
    staleTime: 10_000,
  })

export function Search({ route }: { route: SearchRoute }) {
  const [input, setInput] = useState(route.q)
  const [limit, setLimit] = useState(20)
  const box = useRef<HTMLInputElement>(null)
  const list = useRef<HTMLOListElement>(null)
  useTitle(route.q ? `${route.q} · Search` : 'Search')
  useEffect(() => setInput(route.q), [route.q])
  useEffect(() => {
    box.current?.focus()
  }, [])
  useEffect(() => setLimit(20), [route.q, route.mode])
  useEffect(() => {
    if (input === route.q) return
    const timer = setTimeout(() => replaceRoute({ ...route, q: input }), DEBOUNCE)
    return () => clearTimeout(timer)
  }, [input, route])
  const { data, error, isFetching, isPlaceholderData } = useQuery({
    ...searchQuery(route, limit),
    placeholderData: keepPreviousData,
  })

  const onKeyDown = (event: KeyboardEvent) => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    const links = [...(list.current?.querySelectorAll<HTMLElement>('.hit-link') ?? [])]
    const index = links.indexOf(document.activeElement as HTMLElement)
    if (by !== undefined && links.length) {
      event.preventDefault()
      const next = index + by
      if (next < 0) box.current?.focus()
      else links[Math.min(next, links.length - 1)]?.focus()
    } else if (event.key === 'Enter' && event.target === box.current && !isPlaceholderData) {
      const first = data?.hits[0]
      if (first && input === route.q) navigate(hitRoute(first))
    } else if (event.key === 'Escape' && event.target !== box.current) {
      box.current?.focus()
    }
  }

  const hasQuery = route.q.trim() !== ''
  return (
    <div className="page search" onKeyDown={onKeyDown}>
      <h1 className="hidden">Search</h1>
      <div className="field search-box">
        <Icon name="search" />
        <input
          ref={box}
          type="search"
          aria-label="Search all documents"
          placeholder="Search all documents"
          value={input}
          onChange={(event) => setInput(event.target.value)}
        />
        {isFetching && hasQuery && <span className="spinner" />}
      </div>
      <div className="search-filters">
        <div className="pills" role="group" aria-label="Search mode">
          {MODES.map(([mode, label, help]) => (
            <button
              key={mode}
              type="button"
              className="pill"
              title={help}
              aria-pressed={route.mode === mode}
              onClick={() => navigate({ ...route, mode })}
            >
              {label}
            </button>
          ))}
        </div>
        <select
          className="select"
          aria-label="Kind"
          value={route.kind ?? ''}
          onChange={(event) => navigate({ ...route, kind: event.target.value || null })}
        >
          <option value="">All kinds</option>
          <option value="document">Documents</option>
          <option value="call">Calls</option>
        </select>
        {route.document && <DocumentFilter route={route} id={route.document} />}
      </div>
      {!hasQuery ? (
        <Empty icon="search" title="Search all documents">
          <p>Enter words, a phrase, a number or a topic. Each result opens its document at the matching passage.</p>
          <p className="small">
            <kbd>↓</kbd> <kbd>↑</kbd> select a result, <kbd>Enter</kbd> opens it, <kbd>/</kbd> returns to the search
          </p>
        </Empty>
      ) : error && !data ? (
        <ErrorNotice error={error} />
      ) : !data ? (
        <Loading what="Searching" />
      ) : data.hits.length ? (
        <>
          <ol className="hits" ref={list} aria-label="Results" aria-busy={isPlaceholderData}>
            {data.hits.map((hit) => (
              <HitCard key={hit.chunk_id} hit={hit} />
            ))}
          </ol>
          {data.hits.length >= limit && limit < 100 && (
            <button type="button" className="button" onClick={() => setLimit(Math.min(100, limit + 40))}>
              Show more
            </button>
          )}
        </>
      ) : (
        <Empty icon="search" title={`No results for “${route.q}”`}>
          <p>
            {route.document && 'Only this document was searched. '}
            {route.mode === 'text' ? 'Try “Similar meaning”.' : 'Only completed documents are searched.'}
          </p>
        </Empty>
      )}
    </div>
  )
}

function DocumentFilter({ route, id }: { route: SearchRoute; id: string }) {
  const { data } = useQuery(documentQuery(id))
  return (
    <button type="button" className="pill inside" aria-pressed onClick={() => navigate({ ...route, document: null })}>
      In {data?.name ?? 'one document'} ✕<span className="hidden"> (search all documents instead)</span>
    </button>
  )
}

function HitCard({ hit }: { hit: Hit }) {
  const anchor = anchorOf(hit.anchor)
  const location = [
    anchor.page === null ? null : `page ${anchor.page}`,
    anchor.speaker,
    anchor.seconds && timecode(anchor.seconds[0]),
    anchor.headings.length ? anchor.headings.join(' › ') : null,
  ].filter(Boolean)
  return (
    <li className="hit">
      <a className="hit-link" href={hrefTo(hitRoute(hit))} dir="auto">
        {hit.document_name}
      </a>
      {location.length > 0 && <span className="hit-where">{location.join(' · ')}</span>}
      <Snippet text={hit.snippet} highlights={hit.highlights} />
    </li>
  )
}

function hitRoute(hit: Hit) {
  const { page } = anchorOf(hit.anchor)
  return documentRoute(hit.document_id, { chunk: hit.chunk_id, ordinal: hit.ordinal, page })
}
