// The search view. Results are updated while typing; arrow keys move between them, Enter opens one.
import { useQuery } from '@tanstack/react-query'
import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { documentQuery } from '../api/queries'
import { Icon } from '../parts/icon'
import { openedFrom, rememberOpened } from '../parts/opened'
import { Empty, Loading, ErrorNotice } from '../parts/notices'
import { useTitle } from '../parts/title'
import { type AskRoute, hrefTo, navigate, replaceRoute, type SearchRoute } from '../route'
import { FacetFilters } from './facets'
import { HitCard, hitRoute } from './hit'
import { resultCount, useSearch, useSuggestions } from './results'

/** Milliseconds after the last key press before the search starts. */
const DEBOUNCE = 120
const MODES: [SearchRoute['mode'], string, string][] = [
  ['hybrid', 'Best match', 'Combines exact words and similar meaning'],
  ['text', 'Exact words', 'Results contain the words of the query'],
  ['vector', 'Similar meaning', 'Results are close in meaning to the query'],
]

/** Pages of results that are fetched again to find the one that was opened. */
const MAX_RESTORED_PAGES = 5

export function Search({ route }: { route: SearchRoute }) {
  const [input, setInput] = useState(route.q)
  const box = useRef<HTMLInputElement>(null)
  const list = useRef<HTMLOListElement>(null)
  useTitle(route.q ? `${route.q} · Search` : 'Search')
  useEffect(() => setInput(route.q), [route.q])
  useEffect(() => {
    if (openedFrom(hrefTo(route)) === null) box.current?.focus()
  }, [])
  useEffect(() => {
    if (input === route.q) return
    const timer = setTimeout(() => replaceRoute({ ...route, q: input }), DEBOUNCE)
    return () => clearTimeout(timer)
  }, [input, route])
  const { data, error, isFetching, isPlaceholderData, hasNextPage, isFetchingNextPage, fetchNextPage } = useSearch(route)
  const suggestions = useSuggestions(input)
  const results = data?.pages[0]
  const hits = data?.pages.flatMap((page) => page.hits) ?? []

  const onKeyDown = (event: KeyboardEvent) => {
    const typing = (event.target as HTMLElement).closest('input, select') !== null
    const by = { ArrowDown: 1, ArrowUp: -1, ...(typing ? {} : { j: 1, k: -1 }) }[event.key]
    const links = [...(list.current?.querySelectorAll<HTMLElement>('.hit-link') ?? [])]
    const index = links.indexOf(document.activeElement as HTMLElement)
    if (by !== undefined && links.length) {
      event.preventDefault()
      const next = index + by
      if (next < 0) box.current?.focus()
      else links[Math.min(next, links.length - 1)]?.focus()
    } else if (event.key === 'Enter' && event.target === box.current && !isPlaceholderData) {
      const first = hits[0]
      if (first && input === route.q) {
        rememberOpened(hrefTo(route), first.chunk_id)
        navigate(hitRoute(first))
      }
    } else if (event.key === 'Escape' && event.target !== box.current) {
      box.current?.focus()
    }
  }

  // Going back to the results focuses the one that was opened; it scrolls into view by that. After a reload the further
  // results are not there yet.
  const restored = useRef(false)
  useEffect(() => {
    if (restored.current || !hits.length || isPlaceholderData || isFetchingNextPage) return
    const chunk = openedFrom(hrefTo(route))
    const link = chunk && list.current?.querySelector<HTMLElement>(`[data-chunk="${chunk}"]`)
    if (chunk && !link && hasNextPage && data!.pages.length < MAX_RESTORED_PAGES) {
      void fetchNextPage()
      return
    }
    restored.current = true
    if (link) link.focus()
  })

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
          list="search-suggestions"
          autoComplete="off"
          value={input}
          onChange={(event) => setInput(event.target.value)}
        />
        <datalist id="search-suggestions">
          {suggestions.map((text) => (
            <option key={text} value={text} />
          ))}
        </datalist>
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
        <FacetFilters route={route} facets={results?.facets ?? null} />
        {route.document && <DocumentFilter route={route} id={route.document} />}
        <a className="button" href={hrefTo(askRouteOf(route, input))}>
          Ask a question
        </a>
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
      ) : !results ? (
        <Loading what="Searching" />
      ) : hits.length ? (
        <>
          <p className="small result-count" role="status">
            {resultCount(results, route)}
          </p>
          <DidYouMean route={route} query={results.did_you_mean} />
          <ol className="hits" ref={list} aria-label="Results" aria-busy={isPlaceholderData}>
            {hits.map((hit) => (
              <HitCard key={hit.chunk_id} hit={hit} route={route} />
            ))}
          </ol>
          {hasNextPage && (
            <button type="button" className="button" onClick={() => void fetchNextPage()}>
              Show more
            </button>
          )}
        </>
      ) : (
        <Empty icon="search" title={`No results for “${route.q}”`}>
          <DidYouMean route={route} query={results.did_you_mean} />
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

function DidYouMean({ route, query }: { route: SearchRoute; query: string | null }) {
  if (!query) return null
  return (
    <p className="did-you-mean">
      Did you mean <a href={hrefTo({ ...route, q: query })}>{query}</a>?
    </p>
  )
}

/** Asks in the same documents. The year of a search has no counterpart. */
function askRouteOf({ kind, document, language, type, collection, tag }: SearchRoute, q: string): AskRoute {
  return { view: 'ask', q, kind, document, language, type, collection: collection ?? null, tag: tag ?? null }
}
