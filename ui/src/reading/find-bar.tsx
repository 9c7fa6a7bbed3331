// The box "Find in document": words, the number of matches, next and previous.
import { useEffect, useRef } from 'react'
import { Icon } from '../parts/icon'
import { number } from '../words/format'
import { MAX_MATCHES } from './find'

interface Props {
  query: string
  /** The index of the match that is shown; null without a match. */
  current: number | null
  total: number
  onQuery: (query: string) => void
  onMove: (by: 1 | -1) => void
  onClose: () => void
}

export function FindBar({ query, current, total, onQuery, onMove, onClose }: Props) {
  const box = useRef<HTMLInputElement>(null)
  useEffect(() => box.current?.select(), [])
  return (
    <div
      className="find-bar"
      role="search"
      aria-label="Find in document"
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return
        event.stopPropagation()
        onClose()
      }}
    >
      <Icon name="search" />
      <input
        ref={box}
        className="find-input"
        aria-label="Find in document"
        placeholder="Find in document"
        autoFocus
        value={query}
        onChange={(event) => onQuery(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return
          event.preventDefault()
          onMove(event.shiftKey ? -1 : 1)
        }}
      />
      <span className="quiet small find-count" role="status">
        {matchText(query, current, total)}
      </span>
      <button type="button" className="button plain icon-only" aria-label="Previous match" title="Previous match (Shift+Enter)" disabled={!total} onClick={() => onMove(-1)}>
        <Icon name="up" />
      </button>
      <button type="button" className="button plain icon-only" aria-label="Next match" title="Next match (Enter)" disabled={!total} onClick={() => onMove(1)}>
        <Icon name="down" />
      </button>
      <button type="button" className="button plain icon-only" aria-label="Close find" title="Close (Esc)" onClick={onClose}>
        <Icon name="close" />
      </button>
    </div>
  )
}

export function matchText(query: string, current: number | null, total: number): string {
  if (!query.trim()) return ''
  if (current === null) return 'No matches'
  return `${number(current + 1)} of ${number(total)}${total >= MAX_MATCHES ? '+' : ''}`
}
