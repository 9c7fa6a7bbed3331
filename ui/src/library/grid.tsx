// The visible rows of the library, virtualized. Arrow keys move, Enter opens, Space selects.
import { useQueryClient } from '@tanstack/react-query'
import { useVirtualizer } from '@tanstack/react-virtual'
import { type KeyboardEvent, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { useNarrow } from '../parts/narrow'
import { forgetOpened, openedFrom, rememberOpened } from '../parts/opened'
import { type Filters, hrefTo } from '../route'
import { useStatusFeed } from './feed'
import { fetchNextPage, type List } from './list'
import { Row, Skeleton } from './row'
import { extendSelection, listedOnly, prune, type Selection, toggle } from './selection'

const ROW = 64

/** Messages of failed documents need more lines; on a phone the columns stand below each other. */
function rowHeight(status: string | undefined, narrow: boolean): number {
  if (status === undefined || status === 'COMPLETED') return narrow ? 98 : ROW
  if (status === 'PROCESSING') return narrow ? 112 : 72
  return narrow ? 156 : 92
}

interface Props {
  list: List
  filters: Filters
  selection: Selection
  onSelect: (change: (selection: Selection) => Selection) => void
}

export function Grid({ list, filters, selection, onSelect }: Props) {
  const client = useQueryClient()
  const scroller = useRef<HTMLDivElement>(null)
  const address = hrefTo({ view: 'library', ...filters })
  const [active, setActive] = useState(0)
  const narrow = useNarrow()
  const count = Math.max(list.total, list.documents.length)
  const virtual = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => rowHeight(list.documents[index]?.status, narrow),
    overscan: 6,
    getItemKey: (index) => list.documents[index]?.id ?? index,
  })
  // A changed status changes the height of its row, and so the position of the rows below it.
  useEffect(() => virtual.measure(), [virtual, narrow, list])

  // Rows that are not loaded have an estimated height; a list scrolled to its end stays there when the height grows.
  const height = virtual.getTotalSize()
  const end = useRef(0)
  useLayoutEffect(() => {
    const grid = scroller.current
    if (!grid) return
    if (grid.scrollTop > 0 && grid.scrollTop + grid.clientHeight >= end.current - 1) grid.scrollTop = height
    end.current = grid.scrollHeight
  }, [height])

  const items = virtual.getVirtualItems()
  const visible = items.flatMap(({ index }) => list.documents[index] ?? [])
  useStatusFeed(visible)

  const lastVisible = items[items.length - 1]?.index ?? 0
  useEffect(() => {
    if (lastVisible >= list.documents.length - 1 && list.nextCursor) void fetchNextPage(client, filters)
  }, [client, filters, lastVisible, list])

  const documents = useRef(list.documents)
  documents.current = list.documents
  const select = useCallback(
    (id: string, extend: boolean) =>
      onSelect((current) => {
        const order = documents.current.map((document) => document.id)
        const selected = listedOnly(prune(current, order, address), order)
        return extend ? extendSelection(selected, id, order) : toggle(selected, id)
      }),
    [onSelect, address],
  )

  const moveTo = (to: number) => {
    const index = Math.max(0, Math.min(list.documents.length - 1, to))
    setActive(index)
    virtual.scrollToIndex(index)
    const focus = () => {
      const name = scroller.current?.querySelector<HTMLElement>(`[aria-posinset="${index + 1}"] .row-name`)
      name?.focus({ preventScroll: true })
      return name
    }
    // Immediately if the row is drawn, so that Enter works at once; otherwise after it is drawn.
    if (!focus()) requestAnimationFrame(() => requestAnimationFrame(focus))
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return
    const page = Math.max(1, Math.floor((scroller.current?.clientHeight ?? ROW) / ROW) - 1)
    const targets: Record<string, number> = {
      ArrowDown: active + 1,
      j: active + 1,
      ArrowUp: active - 1,
      k: active - 1,
      PageDown: active + page,
      PageUp: active - page,
      Home: 0,
      End: list.documents.length - 1,
    }
    const target = targets[event.key]
    const document = list.documents[active]
    if (target !== undefined) {
      event.preventDefault()
      moveTo(target)
    } else if (document && (event.key === 'x' || (event.key === ' ' && event.target instanceof HTMLAnchorElement))) {
      event.preventDefault()
      select(document.id, event.shiftKey)
    }
  }

  // Going back to the library focuses the row that was opened, if it is still there.
  useEffect(() => {
    const opened = openedFrom(address)
    const index = opened === null ? -1 : list.documents.findIndex((document) => document.id === opened)
    if (index >= 0) moveTo(index)
    forgetOpened()
  }, [])

  return (
    <div
      className="grid"
      ref={scroller}
      onKeyDown={onKeyDown}
      onClick={(event) => {
        const row = (event.target as HTMLElement).closest('.row-name')?.closest<HTMLElement>('[data-id]')
        if (row?.dataset['id']) rememberOpened(address, row.dataset['id'])
      }}
      onFocus={(event) => {
        const row = (event.target as HTMLElement).closest('[aria-posinset]')
        if (row) setActive(Number(row.getAttribute('aria-posinset')) - 1)
      }}
    >
      <ul aria-label="Documents" style={{ height }}>
        {items.map(({ index, key, start, size }) => {
          const document = list.documents[index]
          if (!document) return <Skeleton key={key} top={start} height={size} />
          return (
            <Row
              key={key}
              document={document}
              index={index}
              total={count}
              top={start}
              height={size}
              active={index === active || (index === items[0]?.index && !isVisible(items, active))}
              selected={selection.all !== null || selection.ids.has(document.id)}
              onSelect={select}
            />
          )
        })}
      </ul>
    </div>
  )
}

/** Whether the active row is drawn. If not, the first drawn row takes its place in the tab order. */
function isVisible(items: readonly { index: number }[], active: number): boolean {
  return items.some((item) => item.index === active)
}
