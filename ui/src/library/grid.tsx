// The rows in sight of a list of any length. Arrow keys walk, Enter opens, Space chooses.
import { useQueryClient } from '@tanstack/react-query'
import { useVirtualizer } from '@tanstack/react-virtual'
import { type KeyboardEvent, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { useNarrow } from '../parts/narrow'
import type { Filters } from '../route'
import { useStatusFeed } from './feed'
import { type List, more } from './list'
import { Row, Skeleton } from './row'
import { reached, type Selection, toggled } from './selection'

const ROW = 64

/** Troubles take more words than success; on a phone everything stands under everything. */
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
  // A change of state changes a row's height, and so the place of those below it.
  useEffect(() => virtual.measure(), [virtual, narrow, list])

  // Rows that are yet to come are guessed at; who went to the end stays there while they turn out taller.
  const height = virtual.getTotalSize()
  const end = useRef(0)
  useLayoutEffect(() => {
    const grid = scroller.current
    if (!grid) return
    if (grid.scrollTop > 0 && grid.scrollTop + grid.clientHeight >= end.current - 1) grid.scrollTop = height
    end.current = grid.scrollHeight
  }, [height])

  const items = virtual.getVirtualItems()
  const inSight = items.flatMap(({ index }) => list.documents[index] ?? [])
  useStatusFeed(inSight)

  const lastInSight = items[items.length - 1]?.index ?? 0
  useEffect(() => {
    if (lastInSight >= list.documents.length - 1 && list.nextCursor) void more(client, filters)
  }, [client, filters, lastInSight, list])

  const documents = useRef(list.documents)
  documents.current = list.documents
  const choose = useCallback(
    (id: string, reach: boolean) =>
      onSelect((now) =>
        reach
          ? reached(
              now,
              id,
              documents.current.map((document) => document.id),
            )
          : toggled(now, id),
      ),
    [onSelect],
  )

  const walk = (to: number) => {
    const index = Math.max(0, Math.min(list.documents.length - 1, to))
    setActive(index)
    virtual.scrollToIndex(index)
    const focus = () => {
      const name = scroller.current?.querySelector<HTMLElement>(`[aria-posinset="${index + 1}"] .row-name`)
      name?.focus({ preventScroll: true })
      return name
    }
    // At once where the row is there, so that a quick Enter opens it; else when it is drawn.
    if (!focus()) requestAnimationFrame(() => requestAnimationFrame(focus))
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return
    const page = Math.max(1, Math.floor((scroller.current?.clientHeight ?? ROW) / ROW) - 1)
    const steps: Record<string, number> = {
      ArrowDown: active + 1,
      j: active + 1,
      ArrowUp: active - 1,
      k: active - 1,
      PageDown: active + page,
      PageUp: active - page,
      Home: 0,
      End: list.documents.length - 1,
    }
    const step = steps[event.key]
    const document = list.documents[active]
    if (step !== undefined) {
      event.preventDefault()
      walk(step)
    } else if (document && (event.key === 'x' || (event.key === ' ' && event.target instanceof HTMLAnchorElement))) {
      event.preventDefault()
      choose(document.id, event.shiftKey)
    }
  }

  return (
    <div
      className="grid"
      ref={scroller}
      onKeyDown={onKeyDown}
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
              active={index === active || (index === items[0]?.index && !inSightHas(items, active))}
              chosen={selection.ids.has(document.id)}
              onChoose={choose}
            />
          )
        })}
      </ul>
    </div>
  )
}

/** One row must always be in the tab order, also when the active one has scrolled away. */
function inSightHas(items: readonly { index: number }[], active: number): boolean {
  return items.some((item) => item.index === active)
}
