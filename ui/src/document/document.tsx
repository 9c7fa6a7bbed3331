// The view of one document: the original beside its text, fields, chunks, connections and history.
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { lazy, type ReactNode, Suspense, useEffect, useRef, useState } from 'react'
import { Problem } from '../api/problem'
import { documentQuery } from '../api/queries'
import { hasPendingFollowUp, isProcessing, type Status, statusQuery } from '../api/status'
import type { Document } from '../library/list'
import { Icon, type IconName } from '../parts/icon'
import { useNarrow } from '../parts/narrow'
import { Empty, Loading, Notice, ErrorNotice } from '../parts/notices'
import { type DocumentRoute, hrefTo, libraryRoute, parseRoute, replaceRoute, type Tab, searchRoute } from '../route'
import { useTitle } from '../parts/title'
import { number } from '../words/format'
import { Call } from './call'
import { useConnections } from './connections'
import { Connections } from './connections-tab'
import { Fields } from './fields'
import { Header } from './header'
import { History } from './history'
import { Chunks } from './chunks'
import { ImageView } from './image-view'
import { needsPassword } from './password-form'
import { TextView } from './text-view'
import { type Target, useTarget } from './target'
import type { Bookmark } from '../reading/outline'
import { ReadingPosition } from '../reading/position'
import { Versions } from './versions'

const PdfView = lazy(() => import('./pdf'))

const LABELS: Record<Tab, [string, IconName]> = {
  original: ['Original', 'document'],
  text: ['Text', 'book'],
  fields: ['Fields', 'tag'],
  chunks: ['Chunks', 'columns'],
  connections: ['Connections', 'link'],
  versions: ['Versions', 'sheet'],
  history: ['History', 'clock'],
}

export function DocumentView({ route }: { route: DocumentRoute }) {
  const { id } = route
  const { data: document, error } = useQuery(documentQuery(id))
  const { data: status } = useQuery(statusQuery(id))
  useTitle(document?.name ?? 'Document')
  useRefetchAfterRun(id, status)
  if (error && !document) {
    if (!(error instanceof Problem) || error.status !== 404) return <ErrorNotice error={error} />
    return (
      <Empty icon="document" title="Document not found" alone>
        <p>It was deleted, or it belongs to another organization.</p>
        <a className="button" href={hrefTo(libraryRoute)}>
          Open the library
        </a>
      </Empty>
    )
  }
  if (!document) return <Loading what="Loading the document" />
  return <LoadedDocument route={route} document={document} status={status} />
}

/** Refetches the document's data when a run or its follow-up stage ends. */
function useRefetchAfterRun(id: string, status: Status | undefined): void {
  const client = useQueryClient()
  const previous = useRef<string | null>(null)
  const current = status ? `${status.run?.id}/${status.status}/${hasPendingFollowUp(status)}` : null
  useEffect(() => {
    const before = previous.current
    previous.current = current
    if (before === null || current === null || before === current) return
    for (const query of ['document', 'links', 'content', 'pages', 'chunks', 'chunk', 'fields', 'costs', 'connections', 'transcript', 'analysis', 'versions']) {
      void client.invalidateQueries({ queryKey: [query, id] })
    }
  }, [client, id, current])
}

function LoadedDocument({ route, document, status }: { route: DocumentRoute; document: Document; status: Status | undefined }) {
  const { id } = route
  const narrow = useNarrow()
  const [splitView, setSplitView] = useState(true)
  const [finding, setFinding] = useState(false)
  const [outlineShown, setOutlineShown] = useState(false)
  const [bookmarks, setBookmarks] = useState<Bookmark[]>([])
  const [position] = useState(() => new ReadingPosition())
  const [outlineHost, setOutlineHost] = useState<HTMLElement | null>(null)
  const target = useTarget(route)
  const { connections, more } = useConnections(id)
  const connectionCount = connections?.length ? `${number(connections.length)}${more ? '+' : ''}` : null
  const processing = isProcessing(status?.status ?? document.status)
  const connectPending = processing || (status !== undefined && hasPendingFollowUp(status))
  const asksAbove = needsPassword(document, status)
  const original = originalOf(document, target, processing, asksAbove, position, setBookmarks)
  const sideBySide = original !== null && !narrow && splitView
  const tabs = (Object.keys(LABELS) as Tab[]).filter((tab) => {
    if (tab === 'original') return original !== null && !sideBySide
    if (tab === 'versions') return document.key != null
    return tab !== 'connections' || connections != null
  })
  const requested = route.tab ?? defaultTab(status, document, target, narrow && original !== null)
  const tab = tabs.includes(requested) ? requested : 'text'
  const isCall = document.kind === 'call'
  // On a phone the outline lies over the text.
  const outlineBeside = outlineShown && !narrow && !isCall && tab === 'text'
  // The place is in the address only, so that scrolling does not draw the view again.
  const select = (next: Tab) => replaceRoute({ ...currentRoute(route), tab: next })
  const find = () => {
    if (tab !== 'text') select('text')
    // On a phone the outline would lie over the box.
    if (narrow) setOutlineShown(false)
    setFinding(true)
  }
  useFindKey(find)
  useEffect(() => {
    // In a block: some browsers return a promise, which React would take for a clean-up function.
    window.document.getElementById(`tab-${tab}`)?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }, [tab])
  const panels: Record<Tab, () => ReactNode> = {
    original: () => original,
    text: () => (
      <TextView
        document={document}
        span={target.span}
        quote={route.quote}
        at={route.at}
        processing={processing}
        position={position}
        bookmarks={bookmarks}
        finding={finding}
        onFindClosed={() => setFinding(false)}
        outlineShown={outlineShown}
        outlineHost={outlineHost}
        onOutlineClosed={() => setOutlineShown(false)}
      />
    ),
    fields: () => <Fields id={id} />,
    chunks: () => <Chunks id={id} current={route.chunk} />,
    connections: () => <Connections id={id} connections={connections ?? []} pending={connectPending} more={more} />,
    versions: () => <Versions id={id} status={status} />,
    history: () => <History id={id} status={status} />,
  }
  return (
    <div className="document">
      <Header document={document} status={status} connections={connectionCount} />
      <div className={`document-body${sideBySide ? ' side-by-side' : ''}${outlineBeside ? ' with-outline' : ''}`}>
        {outlineBeside && <div className="outline-host" ref={setOutlineHost} />}
        {sideBySide && <section className="pane original" {...leads(position, 'original')}>{original}</section>}
        <section className="pane" {...leads(position, 'text')}>
          <div className="pane-tabs">
            <div role="tablist" aria-label="Views of the document" onKeyDown={(event) => selectByArrowKey(event, tabs, tab, select)}>
              {tabs.map((name) => (
              <button
                key={name}
                type="button"
                role="tab"
                id={`tab-${name}`}
                aria-selected={name === tab}
                aria-controls="panel"
                tabIndex={name === tab ? 0 : -1}
                onClick={() => select(name)}
              >
                <Icon name={LABELS[name][1]} />
                {name === 'original' && isCall ? 'Recording' : LABELS[name][0]}
                {name === 'connections' && connectionCount ? <span className="quiet">{connectionCount}</span> : null}
              </button>
              ))}
            </div>
            <span className="pane-tools">
              {tab === 'text' && !isCall && (
                <button
                  type="button"
                  className="button plain"
                  title="Outline"
                  aria-pressed={outlineShown}
                  onClick={() => setOutlineShown(!outlineShown)}
                >
                  <Icon name="outline" />
                  <span>Outline</span>
                </button>
              )}
              {tab === 'text' && (
                <button type="button" className="button plain" title="Find in document (Ctrl+F)" onClick={find}>
                  <Icon name="find" />
                  <span>Find</span>
                </button>
              )}
              <a className="button plain" title="Search in this document" href={hrefTo(searchRoute({ document: id }))}>
                <Icon name="search" />
                <span>Search in this document</span>
              </a>
              {original !== null && !narrow && (
                <button type="button" className="button plain" title={splitView ? 'Single column' : 'Side by side'} aria-pressed={splitView} onClick={() => setSplitView(!splitView)}>
                  <Icon name="columns" />
                  <span>{splitView ? 'Single column' : 'Side by side'}</span>
                </button>
              )}
            </span>
          </div>
          <div
            className="pane-body"
            data-tab={tab}
            role="tabpanel"
            id="panel"
            aria-labelledby={`tab-${tab}`}
            tabIndex={0}
            key={tab}
          >
            {target.missing && tab === 'text' && (
              <Notice tone="waiting">
                <p>The linked passage no longer exists: the document was processed again.</p>
              </Notice>
            )}
            {panels[tab]()}
          </div>
        </section>
      </div>
    </div>
  )
}

/** The tab shown first: the text, or the history if there is no text. */
function defaultTab(status: Status | undefined, document: Document, target: Target, narrow: boolean): Tab {
  // On a phone the recording of a call is first, as it is elsewhere.
  if (narrow && (target.box !== null || document.kind === 'call')) return 'original'
  const state = status?.status ?? document.status
  return document.searchable || state === 'COMPLETED' ? 'text' : 'history'
}

function originalOf(
  document: Document,
  target: Target,
  processing: boolean,
  asksAbove: boolean,
  position: ReadingPosition,
  onBookmarks: (bookmarks: Bookmark[]) => void,
): ReactNode {
  const { id, name, media_type } = document
  if (media_type === 'application/pdf') {
    return (
      <Suspense fallback={<Loading what="Loading the PDF" />}>
        <PdfView
          key={document.version}
          id={id}
          name={name}
          target={target}
          position={position}
          asksAbove={asksAbove}
          onBookmarks={onBookmarks}
        />
      </Suspense>
    )
  }
  if (/^image\/(png|jpeg|gif|webp)$/.test(media_type)) return <ImageView key={document.version} id={id} name={name} box={target.box} />
  if (/^(audio|video)\//.test(media_type)) return <Call id={id} name={name} start={target.seconds?.[0] ?? null} processing={processing} />
  return null
}

/** The pane that a person points at, scrolls or uses by keyboard moves the other one. */
function leads(position: ReadingPosition, pane: 'text' | 'original') {
  const lead = () => {
    position.leader = pane
  }
  return { onPointerEnter: lead, onPointerDown: lead, onWheel: lead, onTouchStart: lead, onKeyDown: lead }
}

/** The route with the place that the address has. */
function currentRoute(route: DocumentRoute): DocumentRoute {
  const current = parseRoute(location.hash)
  return current.view === 'document' && current.id === route.id ? { ...route, at: current.at } : route
}

/** Ctrl+F finds in the text, also in what is not drawn. A second Ctrl+F is the browser's own. */
function useFindKey(open: () => void): void {
  const latest = useRef(open)
  latest.current = open
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'f' || !(event.ctrlKey || event.metaKey) || event.shiftKey || event.altKey) return
      if ((event.target as HTMLElement).closest('.find-bar, dialog')) return
      event.preventDefault()
      const box = window.document.querySelector<HTMLInputElement>('.find-input')
      if (box) box.select()
      else latest.current()
    }
    window.addEventListener('keydown', listen)
    return () => window.removeEventListener('keydown', listen)
  }, [])
}

function selectByArrowKey(event: React.KeyboardEvent, tabs: Tab[], current: Tab, select: (tab: Tab) => void): void {
  const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
  if (by === undefined || !(event.target instanceof HTMLButtonElement)) return
  event.preventDefault()
  const next = tabs[(tabs.indexOf(current) + by + tabs.length) % tabs.length]!
  select(next)
  requestAnimationFrame(() => document.getElementById(`tab-${next}`)?.focus())
}
