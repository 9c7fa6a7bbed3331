// The outline beside the text: headings, bookmarks, slides, sheets or chapters. A click goes there.
import { useEffect, useRef } from 'react'
import { Icon } from '../parts/icon'
import { useStore } from '../parts/store'
import { entryAt, type OutlineEntry } from './outline'
import type { ReadingPosition } from './position'

interface Props {
  entries: readonly OutlineEntry[]
  position: ReadingPosition
  onSelect: (entry: OutlineEntry) => void
  onClose: () => void
}

export function OutlinePanel({ entries, position, onSelect, onClose }: Props) {
  const list = useRef<HTMLOListElement>(null)
  const at = useStore(position.at)
  const current = at === null ? -1 : entryAt(entries, at)
  const top = Math.min(...entries.map(({ level }) => level))
  useEffect(() => {
    list.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' })
  }, [current])
  return (
    <nav
      className="outline"
      aria-label="Outline"
      onKeyDown={(event) => {
        if (event.key === 'Escape') onClose()
      }}
    >
      <div className="outline-head">
        <h2>Outline</h2>
        <button type="button" className="button plain icon-only" aria-label="Close outline" title="Close outline" onClick={onClose}>
          <Icon name="close" />
        </button>
      </div>
      {entries.length ? (
        <ol ref={list}>
          {entries.map((entry, index) => (
            <li key={index} style={{ paddingInlineStart: `${Math.min(5, entry.level - top) * 14}px` }}>
              <button type="button" dir="auto" title={entry.title} aria-current={index === current ? 'location' : undefined} onClick={() => onSelect(entry)}>
                {entry.title}
              </button>
            </li>
          ))}
        </ol>
      ) : (
        <p className="quiet small">This document has no headings.</p>
      )}
    </nav>
  )
}
