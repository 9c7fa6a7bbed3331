// The frame of the page: navigation, the current view, the connection banner and the uploads.
import { useEffect, useRef } from 'react'
import { checkNow, connection } from './api/connection'
import { keys, removeKey } from './api/key'
import { Ask } from './ask/ask'
import { DocumentView } from './document/document'
import { KeyPage } from './key-page'
import { Library } from './library/library'
import { Operations } from './operations/operations'
import { Toast } from './parts/announce'
import { ErrorBoundary } from './parts/error-boundary'
import { KeysButton, KeysDialog } from './parts/keys-dialog'
import { Logo } from './parts/logo'
import { Icon, type IconName } from './parts/icon'
import { useNow } from './parts/now'
import { Empty } from './parts/notices'
import { useStore } from './parts/store'
import { ThemeButton } from './parts/theme'
import { useTitle } from './parts/title'
import { askRoute, hrefTo, libraryRoute, navigate, type Route, searchRoute, useRoute } from './route'
import { Search } from './search/search'
import { DropZone } from './uploads/drop-zone'
import { UploadButton, UploadFolderButton } from './uploads/upload-button'
import { Tray } from './uploads/tray'

const VIEWS: [Route, string, IconName][] = [
  [libraryRoute, 'Library', 'library'],
  [searchRoute(), 'Search', 'search'],
  [askRoute, 'Ask', 'ask'],
  [{ view: 'operations' }, 'Operations', 'operations'],
]

export function App() {
  const route = useRoute()
  const { key, required } = useStore(keys)
  const main = useRef<HTMLElement>(null)
  useSlashToSearch()
  const viewKey = route.view === 'document' ? `document/${route.id}` : route.view
  const firstView = useRef(true)
  useEffect(() => {
    // Moves the focus to the new view for screen readers, but not when the page is first opened, and not if the view
    // has focused something itself.
    const focused = main.current?.contains(document.activeElement)
    if (!firstView.current && !focused && route.view !== 'search' && route.view !== 'ask') main.current?.focus({ preventScroll: true })
    firstView.current = false
  }, [viewKey])
  if (required !== 'no') return <KeyPage />
  return (
    <div className="shell">
      <a className="button skip" href="#main" onClick={(event) => skip(event, main.current)}>
        Skip to content
      </a>
      <header className="bar">
        <a className="brand" href={hrefTo(libraryRoute)}>
          <Logo />
          Towpath
        </a>
        <nav className="tabs" aria-label="Views">
          {VIEWS.map(([to, label, icon]) => (
            <a key={label} href={hrefTo(to)} aria-current={isCurrent(route, to) ? 'page' : undefined}>
              <Icon name={icon} />
              {label}
            </a>
          ))}
        </nav>
        <div className="bar-end">
          {key !== null && (
            <button type="button" className="button plain" onClick={removeKey}>
              <Icon name="key" />
              Remove key
            </button>
          )}
          <KeysButton />
          <ThemeButton />
          <UploadFolderButton />
          <UploadButton />
        </div>
      </header>
      <ConnectionBanner />
      <main className="main" id="main" ref={main} tabIndex={-1}>
        <ErrorBoundary key={viewKey}>
          <View route={route} />
        </ErrorBoundary>
      </main>
      <DropZone />
      <Tray />
      <Toast />
      <KeysDialog />
    </div>
  )
}

function View({ route }: { route: Route }) {
  switch (route.view) {
    case 'library':
      return <LibraryView {...route} />
    case 'document':
      return <DocumentView key={route.id} route={route} />
    case 'search':
      return <Search route={route} />
    case 'ask':
      return <Ask route={route} />
    case 'operations':
      return <Operations />
    case 'not-found':
      return (
        <Empty icon="search" title="Page not found" alone>
          <a className="button" href={hrefTo(libraryRoute)}>
            Open the library
          </a>
        </Empty>
      )
  }
}

function LibraryView({ view: _, ...filters }: Route & { view: 'library' }) {
  useTitle('Library')
  return <Library {...filters} />
}

function isCurrent(route: Route, to: Route): boolean {
  return route.view === to.view || (route.view === 'document' && to.view === 'library')
}

/** `/` opens the search, except while an input has the focus. */
function useSlashToSearch(): void {
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      const typing = (event.target as HTMLElement).closest('input, textarea, select, dialog, [contenteditable]')
      if (event.key !== '/' || typing || event.ctrlKey || event.metaKey || event.altKey) return
      event.preventDefault()
      const box = document.querySelector<HTMLInputElement>('.search-box input')
      if (box) box.select()
      else navigate(searchRoute())
    }
    window.addEventListener('keydown', listen)
    return () => window.removeEventListener('keydown', listen)
  }, [])
}

/** Focuses the content without changing the fragment, which holds the route. */
function skip(event: React.MouseEvent, main: HTMLElement | null): void {
  event.preventDefault()
  main?.focus()
}

function ConnectionBanner() {
  const current = useStore(connection)
  useNow(current.state === 'offline')
  if (current.state === 'online') return <div />
  const secondsLeft = Math.max(0, Math.ceil((current.nextCheck - Date.now()) / 1_000))
  return (
    <div className="banner" role="alert">
      <strong>Reconnecting</strong>
      <span>
        The server does not answer. Stored files are safe. This page continues when the server is back.
      </span>
      <button type="button" className="button" disabled={current.checking} onClick={checkNow}>
        {current.checking ? 'Checking' : secondsLeft ? `Checking in ${secondsLeft} s` : 'Check now'}
      </button>
    </div>
  )
}
