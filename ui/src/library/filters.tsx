// Filters of the library by status, kind and name.
import { useEffect, useState } from 'react'
import { Icon } from '../parts/icon'
import { type Filters, navigate, replaceRoute } from '../route'

const STATUSES: [string | null, string][] = [
  [null, 'All'],
  ['PROCESSING', 'Processing'],
  ['COMPLETED', 'Completed'],
  ['FAILED', 'Failed'],
  ['TIMED_OUT', 'Timed out'],
  ['CANCELLED', 'Cancelled'],
]
/** Milliseconds after the last key press before the filter is applied. */
const DEBOUNCE = 150

export function FilterBar({ filters }: { filters: Filters }) {
  const [input, setInput] = useState(filters.q)
  // The back button changes the filters outside the input.
  useEffect(() => setInput(filters.q), [filters.q])
  useEffect(() => {
    if (input === filters.q) return
    const timer = setTimeout(() => replaceRoute({ view: 'library', ...filters, q: input }), DEBOUNCE)
    return () => clearTimeout(timer)
  }, [input, filters])
  return (
    <div className="filters">
      <div className="pills" role="group" aria-label="Filter by status">
        {STATUSES.map(([status, label]) => (
          <button
            key={label}
            type="button"
            className="pill"
            aria-pressed={filters.status === status}
            onClick={() => navigate({ view: 'library', ...filters, status })}
          >
            {label}
          </button>
        ))}
      </div>
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
      <select
        className="select"
        aria-label="Kind"
        value={filters.kind ?? ''}
        onChange={(event) => navigate({ view: 'library', ...filters, kind: event.target.value || null })}
      >
        <option value="">All kinds</option>
        <option value="document">Documents</option>
        <option value="call">Calls</option>
      </select>
    </div>
  )
}
