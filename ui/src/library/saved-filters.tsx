// Filters that a person named; they are kept in this browser.
import { useState } from 'react'
import { announce } from '../parts/announce'
import { Dialog } from '../parts/dialog'
import { Icon } from '../parts/icon'
import { createStore, useStore } from '../parts/store'
import { type Filters, hrefTo, isFiltered } from '../route'

export interface SavedFilter {
  name: string
  /** The address of the library with these filters. */
  href: string
}

const STORAGE_KEY = 'towpath.saved-filters'

/** The saved filters in the text; what is not one is left out. */
export function parseSaved(text: string | null): SavedFilter[] {
  try {
    const parsed: unknown = JSON.parse(text ?? '[]')
    if (!Array.isArray(parsed)) return []
    return parsed.filter(
      (item): item is SavedFilter =>
        typeof item?.name === 'string' && typeof item.href === 'string' && item.href.startsWith('#/?'),
    )
  } catch {
    return []
  }
}

export function withSaved(saved: readonly SavedFilter[], added: SavedFilter): SavedFilter[] {
  return [...saved.filter(({ name }) => name !== added.name), added].sort((a, b) => a.name.localeCompare(b.name))
}

const savedFilters = createStore<readonly SavedFilter[]>(parseSaved(readStorage()))

function readStorage(): string | null {
  try {
    return typeof localStorage === 'undefined' ? null : localStorage.getItem(STORAGE_KEY)
  } catch {
    // A browser may forbid storage.
    return null
  }
}

function store(saved: readonly SavedFilter[]): void {
  savedFilters.set(saved)
  try {
    localStorage.setItem(STORAGE_KEY, JSON.stringify(saved))
  } catch {
    announce('This browser does not allow storing filters.')
  }
}

export function SavedFilters({ filters }: { filters: Filters }) {
  const saved = useStore(savedFilters)
  const [naming, setNaming] = useState(false)
  const href = hrefTo({ view: 'library', ...filters })
  return (
    <>
      {saved.map((item) => (
        <span key={item.name} className="saved-filter">
          <a className="pill" href={item.href} aria-current={item.href === href ? 'true' : undefined}>
            {item.name}
          </a>
          <button
            type="button"
            className="chip-remove"
            aria-label={`Delete the filter ${item.name}`}
            title={`Delete the filter ${item.name}`}
            onClick={() => store(saved.filter((other) => other !== item))}
          >
            <Icon name="close" />
          </button>
        </span>
      ))}
      {isFiltered(filters) && !saved.some((item) => item.href === href) && (
        <button type="button" className="button plain" onClick={() => setNaming(true)}>
          Save filter…
        </button>
      )}
      {naming && (
        <NameDialog
          onClose={() => setNaming(false)}
          onSave={(name) => {
            store(withSaved(saved, { name, href }))
            setNaming(false)
          }}
        />
      )}
    </>
  )
}

function NameDialog({ onClose, onSave }: { onClose: () => void; onSave: (name: string) => void }) {
  const [name, setName] = useState('')
  return (
    <Dialog title="Save this filter" onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          if (name.trim()) onSave(name.trim())
        }}
      >
        <label className="stacked">
          Name
          <input className="input" autoFocus maxLength={60} value={name} onChange={(event) => setName(event.target.value)} />
        </label>
        <div className="dialog-actions">
          <button type="button" className="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" className="button primary" disabled={!name.trim()}>
            Save
          </button>
        </div>
      </form>
    </Dialog>
  )
}
