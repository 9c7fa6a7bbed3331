// Filters of the library with the number of documents of each value, the order, and saved filters.
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type ReactNode, useEffect, useState } from 'react'
import { Icon } from '../parts/icon'
import { type Filters, isFiltered, libraryRoute, navigate, replaceRoute } from '../route'
import { number, typeChoices } from '../words/format'
import { facetsQuery, SORTS } from './filter'
import { SavedFilters } from './saved-filters'

const STATUSES: [string, string][] = [
  ['PROCESSING', 'Processing'],
  ['COMPLETED', 'Completed'],
  ['FAILED', 'Failed'],
  ['TIMED_OUT', 'Timed out'],
  ['CANCELLED', 'Cancelled'],
]
const KINDS: [string, string][] = [
  ['document', 'Documents'],
  ['call', 'Calls'],
]
/** Milliseconds after the last key press before the filter is applied. */
const DEBOUNCE = 150
/** Values shown as pills; the others are in a select. */
const MAX_PILLS = 8

type Counts = Record<string, number>

export function FilterBar({ filters }: { filters: Filters }) {
  const { data: facets } = useQuery({ ...facetsQuery(filters), placeholderData: keepPreviousData })
  const change = (part: Partial<Filters>) => navigate({ view: 'library', ...filters, ...part })
  const tags = filters.tags ?? []
  const toggleTag = (tag: string) =>
    change({ tags: tags.includes(tag) ? tags.filter((other) => other !== tag) : [...tags, tag] })
  const collection = filters.collection ?? null
  // On a phone, all but the status and the name are shown on demand; set ones always.
  const [expanded, setExpanded] = useState(false)
  const more = `filter-row more${expanded || isFiltered(filters) ? ' expanded' : ''}`
  return (
    <div className="filters">
      <div className="filter-row">
        <Pills label="Filter by status">
          <Pill label="All" pressed={filters.status === null} onClick={() => change({ status: null })} />
          {STATUSES.map(([status, label]) => (
            <Pill
              key={status}
              label={label}
              count={facets?.statuses[status]}
              pressed={filters.status === status}
              onClick={() => change({ status: filters.status === status ? null : status })}
            />
          ))}
        </Pills>
        <NameFilter filters={filters} />
        <select
          className="select"
          aria-label="Sort by"
          value={filters.sort ?? '-created'}
          onChange={(event) => change({ sort: event.target.value === '-created' ? null : event.target.value })}
        >
          {SORTS.map(([sort, label]) => (
            <option key={sort} value={sort}>
              {label}
            </option>
          ))}
        </select>
        <button type="button" className="button more-filters" aria-expanded={expanded} onClick={() => setExpanded(!expanded)}>
          Filters
        </button>
      </div>
      <div className={more}>
        {(filters.kind !== null || Object.keys(facets?.kinds ?? {}).length > 1) && (
          <Pills label="Filter by kind">
            {KINDS.map(([kind, label]) => (
              <Pill
                key={kind}
                label={label}
                count={facets?.kinds[kind]}
                pressed={filters.kind === kind}
                onClick={() => change({ kind: filters.kind === kind ? null : kind })}
              />
            ))}
          </Pills>
        )}
        <ValueFilter
          label="collection"
          icon="library"
          counts={collectionCounts(facets?.collections, collection)}
          chosen={collection === null ? [] : [collection]}
          name={(value) => value || 'No collection'}
          onToggle={(value) => change({ collection: collection === value ? null : value })}
        />
        <ValueFilter label="tag" icon="tag" counts={facets?.tags ?? {}} chosen={tags} onToggle={toggleTag} />
      </div>
      <div className={more}>
        <TypeFilter counts={facets?.media_types ?? {}} chosen={filters.type ?? null} onChange={(type) => change({ type })} />
        <label className="day">
          From <input type="date" value={filters.from ?? ''} onChange={(event) => change({ from: event.target.value || null })} />
        </label>
        <label className="day">
          to <input type="date" value={filters.to ?? ''} onChange={(event) => change({ to: event.target.value || null })} />
        </label>
        <SavedFilters filters={filters} />
        {isFiltered(filters) && (
          <button type="button" className="button plain" onClick={() => navigate({ ...libraryRoute, sort: filters.sort ?? null })}>
            Clear filters
          </button>
        )}
      </div>
    </div>
  )
}

/** Without any collection there is nothing to choose from. */
function collectionCounts(counts: Counts | undefined, chosen: string | null): Counts {
  const known = counts ?? {}
  return chosen === null && Object.keys(known).every((name) => name === '') ? {} : known
}

function NameFilter({ filters }: { filters: Filters }) {
  const [input, setInput] = useState(filters.q)
  // The back button changes the filters outside the input.
  useEffect(() => setInput(filters.q), [filters.q])
  useEffect(() => {
    if (input === filters.q) return
    const timer = setTimeout(() => replaceRoute({ view: 'library', ...filters, q: input }), DEBOUNCE)
    return () => clearTimeout(timer)
  }, [input, filters])
  return (
    <div className="field">
      <Icon name="search" />
      <input
        type="search"
        placeholder="Filter by name"
        aria-label="Filter by name"
        value={input}
        onChange={(event) => setInput(event.target.value)}
      />
    </div>
  )
}

function Pills({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className="pills" role="group" aria-label={label}>
      {children}
    </div>
  )
}

interface PillProps {
  label: string
  count?: number | undefined
  pressed: boolean
  onClick: () => void
}

function Pill({ label, count, pressed, onClick }: PillProps) {
  return (
    <button type="button" className="pill" aria-pressed={pressed} onClick={onClick}>
      <bdi>{label}</bdi>
      {count ? <span className="pill-count"> {number(count)}</span> : null}
    </button>
  )
}

interface ValueFilterProps {
  label: string
  icon: 'library' | 'tag'
  counts: Counts
  chosen: readonly string[]
  name?: (value: string) => string
  onToggle: (value: string) => void
}

/** The chosen values and those of most documents as pills, the others in a select. */
function ValueFilter({ label, icon, counts, chosen, name = (value) => value, onToggle }: ValueFilterProps) {
  const values = [...chosen, ...Object.keys(counts).filter((value) => !chosen.includes(value))]
  if (!values.length) return null
  const shown = values.slice(0, Math.max(MAX_PILLS, chosen.length))
  const more = values.slice(shown.length)
  return (
    <div className="value-filter">
      <Icon name={icon} />
      <Pills label={`Filter by ${label}`}>
        {shown.map((value) => (
          <Pill
            key={value}
            label={name(value)}
            count={counts[value]}
            pressed={chosen.includes(value)}
            onClick={() => onToggle(value)}
          />
        ))}
      </Pills>
      {more.length > 0 && (
        <select className="select" aria-label={`More ${label}s`} value="" onChange={(event) => onToggle(event.target.value)}>
          <option value="">More…</option>
          {more.map((value) => (
            <option key={value} value={value}>
              {name(value)} ({number(counts[value] ?? 0)})
            </option>
          ))}
        </select>
      )}
    </div>
  )
}

function TypeFilter({ counts, chosen, onChange }: { counts: Counts; chosen: string | null; onChange: (type: string | null) => void }) {
  const types = typeChoices(counts, chosen)
  if (types.length < 2 && !chosen) return null
  return (
    <select className="select" aria-label="File type" value={chosen ?? ''} onChange={(event) => onChange(event.target.value || null)}>
      <option value="">All file types</option>
      {types.map(({ value, name, amount }) => (
        <option key={value} value={value}>
          {name} ({number(amount)})
        </option>
      ))}
    </select>
  )
}
