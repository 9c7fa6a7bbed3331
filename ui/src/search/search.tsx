// One box; passages that answer, as it is typed. Arrow keys walk the hits, Enter opens the place.
import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query'
import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { anchorOf } from '../api/anchor'
import { get, type View } from '../api/client'
import { documentQuery } from '../api/queries'
import { Icon } from '../parts/icon'
import { Empty, Loading, Trouble } from '../parts/pieces'
import { useTitle } from '../parts/title'
import { adjust, documentPlace, go, hrefTo, type SearchPlace } from '../route'
import { timecode } from '../words/format'
import { Snippet } from './snippet'

type Hit = View<'HitView'>

const TYPING = 120
const MODES: [SearchPlace['mode'], string, string][] = [
  ['hybrid', 'Best', 'By words and by meaning'],
  ['text', 'Words', 'Only what contains the words'],
  ['vector', 'Meaning', 'What speaks of the same thing'],
]

const searchQuery = ({ q, mode, kind, document }: SearchPlace, limit: number) =>
  queryOptions({
    queryKey: ['search', q, mode, kind, document, limit],
    queryFn: ({ signal }) =>
      get('/search', {
        query: {
          q,
          mode,
          limit,
          ...(kind ? { kind: kind as 'call' } : {}),
          ...(document ? { document_id: document } : {}),
        },
        signal,
      }),
    enabled: q.trim() !== '',
    staleTime: 10_000,
  })

export function Search({ place }: { place: SearchPlace }) {
  const [typed, setTyped] = useState(place.q)
  const [limit, setLimit] = useState(20)
  const box = useRef<HTMLInputElement>(null)
  const list = useRef<HTMLOListElement>(null)
  useTitle(place.q ? `${place.q} · Search` : 'Search')
  useEffect(() => setTyped(place.q), [place.q])
  useEffect(() => {
    box.current?.focus()
  }, [])
  useEffect(() => setLimit(20), [place.q, place.mode])
  useEffect(() => {
    if (typed === place.q) return
    const timer = setTimeout(() => adjust({ ...place, q: typed }), TYPING)
    return () => clearTimeout(timer)
  }, [typed, place])
  const { data, error, isFetching, isPlaceholderData } = useQuery({
    ...searchQuery(place, limit),
    placeholderData: keepPreviousData,
  })

  const onKeyDown = (event: KeyboardEvent) => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    const links = [...(list.current?.querySelectorAll<HTMLElement>('.hit-link') ?? [])]
    const at = links.indexOf(document.activeElement as HTMLElement)
    if (by !== undefined && links.length) {
      event.preventDefault()
      const next = at + by
      if (next < 0) box.current?.focus()
      else links[Math.min(next, links.length - 1)]?.focus()
    } else if (event.key === 'Enter' && event.target === box.current && !isPlaceholderData) {
      const first = data?.hits[0]
      if (first && typed === place.q) go(placeOf(first))
    } else if (event.key === 'Escape' && event.target !== box.current) {
      box.current?.focus()
    }
  }

  const asked = place.q.trim() !== ''
  return (
    <div className="page search" onKeyDown={onKeyDown}>
      <h1 className="hidden">Search</h1>
      <div className="field search-box">
        <Icon name="search" />
        <input
          ref={box}
          type="search"
          aria-label="Search every document"
          placeholder="Search every document"
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
        />
        {isFetching && asked && <span className="spinner" />}
      </div>
      <div className="search-filters">
        <div className="pills" role="group" aria-label="How to search">
          {MODES.map(([mode, label, help]) => (
            <button
              key={mode}
              type="button"
              className="pill"
              title={help}
              aria-pressed={place.mode === mode}
              onClick={() => go({ ...place, mode })}
            >
              {label}
            </button>
          ))}
        </div>
        <select
          className="choice"
          aria-label="Kind"
          value={place.kind ?? ''}
          onChange={(event) => go({ ...place, kind: event.target.value || null })}
        >
          <option value="">All kinds</option>
          <option value="document">Documents</option>
          <option value="call">Calls</option>
        </select>
        {place.document && <Inside place={place} id={place.document} />}
      </div>
      {!asked ? (
        <Empty icon="search" title="What are you looking for?">
          <p>Words, a phrase, a number, or what something is about. Each hit opens its document at the place.</p>
          <p className="small">
            <kbd>↓</kbd> <kbd>↑</kbd> walk the hits, <kbd>Enter</kbd> opens, <kbd>/</kbd> comes back here
          </p>
        </Empty>
      ) : error && !data ? (
        <Trouble error={error} />
      ) : !data ? (
        <Loading what="Searching" />
      ) : data.hits.length ? (
        <>
          <ol className="hits" ref={list} aria-label="Hits" aria-busy={isPlaceholderData}>
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
        <Empty icon="search" title="Nothing was found">
          <p>
            No passage of {place.document ? 'this document' : 'the ready documents'} answers “{place.q}”.
            {place.mode === 'text' && ' Searching by meaning may find what says it in other words.'}
          </p>
        </Empty>
      )}
    </div>
  )
}

function Inside({ place, id }: { place: SearchPlace; id: string }) {
  const { data } = useQuery(documentQuery(id))
  return (
    <button type="button" className="pill inside" aria-pressed onClick={() => go({ ...place, document: null })}>
      Inside {data?.name ?? 'one document'} ✕<span className="hidden"> (search everywhere instead)</span>
    </button>
  )
}

function HitCard({ hit }: { hit: Hit }) {
  const anchor = anchorOf(hit.anchor)
  const where = [
    anchor.page === null ? null : `page ${anchor.page}`,
    anchor.speaker,
    anchor.seconds && timecode(anchor.seconds[0]),
    anchor.headings.length ? anchor.headings.join(' › ') : null,
  ].filter(Boolean)
  return (
    <li className="hit">
      <a className="hit-link" href={hrefTo(placeOf(hit))} dir="auto">
        {hit.document_name}
      </a>
      {where.length > 0 && <span className="hit-where">{where.join(' · ')}</span>}
      <Snippet text={hit.snippet} highlights={hit.highlights} />
    </li>
  )
}

function placeOf(hit: Hit) {
  const { page } = anchorOf(hit.anchor)
  return documentPlace(hit.document_id, { chunk: hit.chunk_id, ordinal: hit.ordinal, page })
}
