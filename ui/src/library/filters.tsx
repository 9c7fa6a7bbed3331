// What is shown of the library: by state, by kind, by name.
import { useEffect, useState } from 'react'
import { Icon } from '../parts/icon'
import { adjust, type Filters, go } from '../route'

const STATES: [string | null, string][] = [
  [null, 'All'],
  ['PROCESSING', 'Processing'],
  ['COMPLETED', 'Ready'],
  ['FAILED', 'Failed'],
  ['TIMED_OUT', 'Timed out'],
  ['CANCELLED', 'Cancelled'],
]
const TYPING = 150

export function FilterBar({ filters }: { filters: Filters }) {
  const [typed, setTyped] = useState(filters.q)
  // The back button changes the filters without the box knowing.
  useEffect(() => setTyped(filters.q), [filters.q])
  useEffect(() => {
    if (typed === filters.q) return
    const timer = setTimeout(() => adjust({ view: 'library', ...filters, q: typed }), TYPING)
    return () => clearTimeout(timer)
  }, [typed, filters])
  return (
    <div className="filters">
      <div className="pills" role="group" aria-label="Show by state">
        {STATES.map(([status, label]) => (
          <button
            key={label}
            type="button"
            className="pill"
            aria-pressed={filters.status === status}
            onClick={() => go({ view: 'library', ...filters, status })}
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
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
        />
      </div>
      <select
        className="choice"
        aria-label="Kind"
        value={filters.kind ?? ''}
        onChange={(event) => go({ view: 'library', ...filters, kind: event.target.value || null })}
      >
        <option value="">All kinds</option>
        <option value="document">Documents</option>
        <option value="call">Calls</option>
      </select>
    </div>
  )
}
