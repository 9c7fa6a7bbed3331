// One document: the original beside what was made of it.
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { lazy, type ReactNode, Suspense, useEffect, useRef, useState } from 'react'
import { Problem } from '../api/problem'
import { documentQuery } from '../api/queries'
import { isFollowed, isGoing, type Status, statusQuery } from '../api/status'
import type { Document } from '../library/list'
import { Icon, type IconName } from '../parts/icon'
import { useNarrow } from '../parts/narrow'
import { Empty, Loading, Notice, Trouble } from '../parts/pieces'
import { adjust, type DocumentPlace, hrefTo, library, type Tab } from '../route'
import { useTitle } from '../parts/title'
import { number } from '../words/format'
import { Call } from './call'
import { useConnections } from './connections'
import { Connections } from './connections-tab'
import { Fields } from './fields'
import { Header } from './header'
import { History } from './history'
import { Passages } from './passages'
import { Picture } from './picture'
import { Reading } from './reading'
import { type Target, useTarget } from './target'

const PdfView = lazy(() => import('./pdf'))

const LABELS: Record<Tab, [string, IconName]> = {
  original: ['Original', 'document'],
  reading: ['Reading', 'book'],
  fields: ['Fields', 'tag'],
  passages: ['Passages', 'columns'],
  connections: ['Connections', 'link'],
  history: ['History', 'clock'],
}

export function DocumentView({ place }: { place: DocumentPlace }) {
  const { id } = place
  const { data: document, error } = useQuery(documentQuery(id))
  const { data: status } = useQuery(statusQuery(id))
  useTitle(document?.name ?? 'Document')
  useFreshness(id, status)
  if (error && !document) {
    if (!(error instanceof Problem) || error.status !== 404) return <Trouble error={error} />
    return (
      <Empty icon="document" title="This document is not here" alone>
        <p>It may have been deleted, or it belongs to another organization.</p>
        <a className="button" href={hrefTo(library)}>
          To the library
        </a>
      </Empty>
    )
  }
  if (!document) return <Loading what="Opening the document" />
  return <Opened place={place} document={document} status={status} />
}

/** When a run ends, or what follows it, everything that was made of the document may be new. */
function useFreshness(id: string, status: Status | undefined): void {
  const client = useQueryClient()
  const seen = useRef<string | null>(null)
  const now = status ? `${status.run?.id}/${status.status}/${isFollowed(status)}` : null
  useEffect(() => {
    const before = seen.current
    seen.current = now
    if (before === null || now === null || before === now) return
    for (const about of ['document', 'content', 'chunks', 'chunk', 'fields', 'costs', 'connections', 'transcript', 'analysis']) {
      void client.invalidateQueries({ queryKey: [about, id] })
    }
  }, [client, id, now])
}

function Opened({ place, document, status }: { place: DocumentPlace; document: Document; status: Status | undefined }) {
  const { id } = place
  const narrow = useNarrow()
  const [beside, setBeside] = useState(true)
  const target = useTarget(place)
  const { connections, more } = useConnections(id)
  const amount = connections?.length ? `${number(connections.length)}${more ? '+' : ''}` : null
  const going = isGoing(status?.status ?? document.status)
  const sought = going || (status !== undefined && isFollowed(status))
  const original = originalOf(document, target, going)
  const apart = original !== null && !narrow && beside
  const tabs = (Object.keys(LABELS) as Tab[]).filter((tab) => {
    if (tab === 'original') return original !== null && !apart
    return tab !== 'connections' || connections != null
  })
  const wished = place.tab ?? firstTab(status, document, target, narrow && original !== null)
  const tab = tabs.includes(wished) ? wished : 'reading'
  const choose = (next: Tab) => adjust({ ...place, tab: next })
  useEffect(() => {
    // Some browsers answer with a promise, which React would take for a way to clean up.
    window.document.getElementById(`tab-${tab}`)?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }, [tab])
  const panels: Record<Tab, () => ReactNode> = {
    original: () => original,
    reading: () => <Reading id={id} span={target.span} going={going} />,
    fields: () => <Fields id={id} />,
    passages: () => <Passages id={id} current={place.chunk} />,
    connections: () => <Connections id={id} connections={connections ?? []} sought={sought} more={more} />,
    history: () => <History id={id} status={status} />,
  }
  return (
    <div className="document">
      <Header document={document} status={status} connections={amount} />
      <div className={apart ? 'document-body apart' : 'document-body'}>
        {apart && <section className="pane original">{original}</section>}
        <section className="pane">
          <div className="pane-tabs">
            <div role="tablist" aria-label="What was made of it" onKeyDown={(event) => step(event, tabs, tab, choose)}>
              {tabs.map((one) => (
              <button
                key={one}
                type="button"
                role="tab"
                id={`tab-${one}`}
                aria-selected={one === tab}
                aria-controls="panel"
                tabIndex={one === tab ? 0 : -1}
                onClick={() => choose(one)}
              >
                <Icon name={LABELS[one][1]} />
                {LABELS[one][0]}
                {one === 'connections' && amount ? <span className="quiet">{amount}</span> : null}
              </button>
              ))}
            </div>
            <span className="pane-tools">
              <a className="button plain" href={hrefTo({ view: 'search', q: '', mode: 'hybrid', kind: null, document: id })}>
                <Icon name="search" />
                <span>Search inside</span>
              </a>
              {original !== null && !narrow && (
                <button type="button" className="button plain" aria-pressed={beside} onClick={() => setBeside(!beside)}>
                  <Icon name="columns" />
                  <span>{beside ? 'One column' : 'Side by side'}</span>
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
            {target.gone && tab === 'reading' && (
              <Notice tone="waiting">
                <p>The passage this link points at is no longer in the document; it was processed anew since.</p>
              </Notice>
            )}
            {panels[tab]()}
          </div>
        </section>
      </div>
    </div>
  )
}

/** What to show first: the history of what went wrong, else the text. */
function firstTab(status: Status | undefined, document: Document, target: Target, narrow: boolean): Tab {
  if (narrow && target.box !== null) return 'original'
  const state = status?.status ?? document.status
  return document.searchable || state === 'COMPLETED' ? 'reading' : 'history'
}

function originalOf(document: Document, target: Target, going: boolean): ReactNode {
  const { id, name, media_type } = document
  if (media_type === 'application/pdf') {
    return (
      <Suspense fallback={<Loading what="Opening the PDF" />}>
        <PdfView id={id} name={name} target={target} />
      </Suspense>
    )
  }
  if (/^image\/(png|jpeg|gif|webp)$/.test(media_type)) return <Picture id={id} name={name} box={target.box} />
  if (/^(audio|video)\//.test(media_type)) return <Call id={id} name={name} at={target.seconds?.[0] ?? null} going={going} />
  return null
}

function step(event: React.KeyboardEvent, tabs: Tab[], current: Tab, choose: (tab: Tab) => void): void {
  const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
  if (by === undefined || !(event.target instanceof HTMLButtonElement)) return
  event.preventDefault()
  const next = tabs[(tabs.indexOf(current) + by + tabs.length) % tabs.length]!
  choose(next)
  requestAnimationFrame(() => document.getElementById(`tab-${next}`)?.focus())
}
