// The frame around the views: navigation, the truth about the connection, and uploads from anywhere.
import { useEffect, useRef } from 'react'
import { connection, tryNow } from './api/connection'
import { forgetKey, keys } from './api/key'
import { DocumentView } from './document/document'
import { KeyPage } from './key-page'
import { Library } from './library/library'
import { Operations } from './operations/operations'
import { News } from './parts/announce'
import { Boundary } from './parts/boundary'
import { Mark } from './parts/brand'
import { Icon, type IconName } from './parts/icon'
import { useNow } from './parts/now'
import { Empty } from './parts/pieces'
import { useStore } from './parts/store'
import { ThemeButton } from './parts/theme'
import { useTitle } from './parts/title'
import { go, hrefTo, library, type Place, type SearchPlace, usePlace } from './route'
import { Search } from './search/search'
import { DropAnywhere } from './uploads/drop'
import { PickFiles } from './uploads/pick'
import { Tray } from './uploads/tray'

const search: SearchPlace = { view: 'search', q: '', mode: 'hybrid', kind: null, document: null }
const VIEWS: [Place, string, IconName][] = [
  [library, 'Library', 'library'],
  [search, 'Search', 'search'],
  [{ view: 'operations' }, 'Operations', 'operations'],
]

export function App() {
  const place = usePlace()
  const { key, wanted } = useStore(keys)
  const main = useRef<HTMLElement>(null)
  useSlashToSearch()
  const where = place.view === 'document' ? `document/${place.id}` : place.view
  const first = useRef(true)
  useEffect(() => {
    // Who listens to the page should hear that it changed; who has just come should not be moved.
    if (!first.current && place.view !== 'search') main.current?.focus({ preventScroll: true })
    first.current = false
  }, [where])
  if (wanted !== 'no') return <KeyPage />
  return (
    <div className="shell">
      <a className="button skip" href="#main" onClick={(event) => skip(event, main.current)}>
        Skip to the content
      </a>
      <header className="bar">
        <a className="brand" href={hrefTo(library)}>
          <Mark />
          Towpath
        </a>
        <nav className="tabs" aria-label="Views">
          {VIEWS.map(([to, label, icon]) => (
            <a key={label} href={hrefTo(to)} aria-current={isAt(place, to) ? 'page' : undefined}>
              <Icon name={icon} />
              {label}
            </a>
          ))}
        </nav>
        <div className="bar-end">
          {key !== null && (
            <button type="button" className="button plain" onClick={forgetKey}>
              <Icon name="key" />
              Forget key
            </button>
          )}
          <ThemeButton />
          <PickFiles />
        </div>
      </header>
      <Reconnecting />
      <main className="main" id="main" ref={main} tabIndex={-1}>
        <Boundary key={where}>
          <View place={place} />
        </Boundary>
      </main>
      <DropAnywhere />
      <Tray />
      <News />
    </div>
  )
}

function View({ place }: { place: Place }) {
  switch (place.view) {
    case 'library':
      return <LibraryView {...place} />
    case 'document':
      return <DocumentView key={place.id} place={place} />
    case 'search':
      return <Search place={place} />
    case 'operations':
      return <Operations />
    case 'lost':
      return (
        <Empty icon="search" title="There is nothing at this address" alone>
          <a className="button" href={hrefTo(library)}>
            To the library
          </a>
        </Empty>
      )
  }
}

function LibraryView(place: Place & { view: 'library' }) {
  useTitle('Library')
  return <Library status={place.status} kind={place.kind} q={place.q} />
}

function isAt(place: Place, to: Place): boolean {
  return place.view === to.view || (place.view === 'document' && to.view === 'library')
}

/** `/` opens the search from anywhere, unless somebody is typing. */
function useSlashToSearch(): void {
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      const typing = (event.target as HTMLElement).closest('input, textarea, select, dialog, [contenteditable]')
      if (event.key !== '/' || typing || event.ctrlKey || event.metaKey || event.altKey) return
      event.preventDefault()
      const box = document.querySelector<HTMLInputElement>('.search-box input')
      if (box) box.select()
      else go(search)
    }
    window.addEventListener('keydown', listen)
    return () => window.removeEventListener('keydown', listen)
  }, [])
}

/** The address keeps the place, so a jump inside the page must not touch it. */
function skip(event: React.MouseEvent, main: HTMLElement | null): void {
  event.preventDefault()
  main?.focus()
}

function Reconnecting() {
  const now = useStore(connection)
  useNow(now.state === 'lost')
  if (now.state === 'fine') return <div />
  const left = Math.max(0, Math.ceil((now.nextTry - Date.now()) / 1_000))
  return (
    <div className="banner" role="alert">
      <strong>Reconnecting</strong>
      <span>
        The server does not answer. What was stored is safe there; this page goes on by itself when it is back.
      </span>
      <button type="button" className="button" disabled={now.trying} onClick={tryNow}>
        {now.trying ? 'Trying' : left ? `Trying in ${left} s` : 'Try now'}
      </button>
    </div>
  )
}
