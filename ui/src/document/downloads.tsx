// What can be downloaded of a document: the original, its text, its fields, the transcript of a call; and printing.
import { useEffect, useRef, useState } from 'react'
import { downloadFields } from '../api/bulk'
import { downloadFrom, originalUrl } from '../api/original'
import { errorText } from '../api/problem'
import { apiUrl } from '../api/url'
import type { Document } from '../library/list'
import { announce } from '../parts/announce'
import { Icon } from '../parts/icon'

interface Item {
  label: string
  act: () => Promise<void>
}

export function Downloads({ document }: { document: Document }) {
  const menu = useRef<HTMLDetailsElement>(null)
  const [open, setOpen] = useState(false)
  useEffect(() => {
    if (!open) return
    const close = (event: Event) => {
      if (!menu.current?.contains(event.target as Node)) setOpen(false)
    }
    window.addEventListener('pointerdown', close)
    window.addEventListener('focusin', close)
    return () => {
      window.removeEventListener('pointerdown', close)
      window.removeEventListener('focusin', close)
    }
  }, [open])
  const run = ({ act }: Item) => {
    setOpen(false)
    act().catch((error: unknown) => announce(errorText(error)))
  }
  return (
    <details
      ref={menu}
      className="menu"
      open={open}
      onToggle={(event) => setOpen(event.currentTarget.open)}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || !open) return
        setOpen(false)
        menu.current?.querySelector('summary')?.focus()
      }}
    >
      <summary className="button icon-only" aria-label="Download" title="Download">
        <Icon name="download" />
      </summary>
      <ul className="menu-list">
        {itemsOf(document).map((item) => (
          <li key={item.label}>
            <button type="button" className="button plain" onClick={() => run(item)}>
              {item.label}
            </button>
          </li>
        ))}
      </ul>
    </details>
  )
}

function itemsOf(document: Document): Item[] {
  const { id, name, kind, searchable } = document
  const stem = name.replace(/\.[a-z0-9]{1,5}$/i, '')
  const items: Item[] = [{ label: 'Download original', act: () => downloadFrom(originalUrl(id), name) }]
  if (!searchable) return items
  items.push({ label: 'Download markdown', act: () => downloadFrom(apiUrl('/documents/{id}/content', { id }), `${stem}.md`) })
  if (kind === 'call') {
    for (const [format, suffix] of [['srt', 'srt'], ['vtt', 'vtt'], ['text', 'txt']] as const) {
      const url = `${apiUrl('/documents/{id}/transcript', { id })}?format=${format}`
      items.push({ label: `Download transcript (${suffix.toUpperCase()})`, act: () => downloadFrom(url, `${stem}.${suffix}`) })
    }
  }
  for (const format of ['csv', 'json'] as const) {
    items.push({ label: `Download fields (${format.toUpperCase()})`, act: () => downloadFields({ ids: [id] }, format) })
  }
  items.push({ label: 'Print the text', act: async () => window.print() })
  return items
}
