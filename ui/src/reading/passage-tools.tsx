// Tools of the passage under the pointer or with the focus: copy its link, its citation and its markdown.
import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { copyText } from '../parts/clipboard'
import { Icon } from '../parts/icon'
import { blockAt, scrollerOf } from './scroll'
import type { Span } from './passage'

export interface PassageTexts {
  link: string
  citation: string
  markdown: string
}

interface Props {
  article: RefObject<HTMLElement | null>
  textsOf: (span: Span) => PassageTexts
  /** The offset at which reading goes on, for the first `j` or `k`. */
  readingAt: () => number
}

export function PassageTools({ article, textsOf, readingAt }: Props) {
  const [block, setBlock] = useState<HTMLElement | null>(null)
  const tools = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const element = article.current
    if (!element) return
    const choose = (event: Event) => {
      const target = (event.target as HTMLElement).closest<HTMLElement>('.block')
      if (target) setBlock(target)
    }
    const leave = () => {
      if (!element.contains(document.activeElement)) setBlock(null)
    }
    for (const kind of ['mouseover', 'focusin', 'click']) element.addEventListener(kind, choose)
    element.addEventListener('mouseleave', leave)
    return () => {
      for (const kind of ['mouseover', 'focusin', 'click']) element.removeEventListener(kind, choose)
      element.removeEventListener('mouseleave', leave)
    }
  }, [article])
  usePassageKeys(article, block, tools, readingAt)
  useLayoutEffect(() => {
    if (!block?.isConnected || !tools.current) return
    place(tools.current, block, article.current!)
  }, [block, article])
  useEffect(() => {
    const element = article.current
    if (!element || !block) return
    // A passage may be longer than the visible area: its tools follow the pointer into view.
    const follow = () => tools.current && place(tools.current, block, element)
    element.addEventListener('mousemove', follow)
    return () => element.removeEventListener('mousemove', follow)
  }, [block, article])
  if (!block?.isConnected) return null
  const copy = (kind: keyof PassageTexts, done: string) => {
    const span = { start: Number(block.dataset['at']), end: Number(block.dataset['end']) }
    void copyText(textsOf(span)[kind], done)
  }
  return (
    <div
      ref={tools}
      className="passage-tools"
      role="toolbar"
      aria-label="Passage"
      onKeyDown={(event) => {
        if (event.key === 'Escape') block.focus()
      }}
    >
      <button type="button" className="button plain icon-only" aria-label="Copy link" title="Copy link" onClick={() => copy('link', 'Link copied.')}>
        <Icon name="link" />
      </button>
      <button type="button" className="button plain icon-only" aria-label="Copy citation" title="Copy citation" onClick={() => copy('citation', 'Citation copied.')}>
        <Icon name="quote" />
      </button>
      <button type="button" className="button plain icon-only" aria-label="Copy as markdown" title="Copy as markdown" onClick={() => copy('markdown', 'Markdown copied.')}>
        <Icon name="copy" />
      </button>
    </div>
  )
}

/** At the upper right corner of the passage, or of what is visible of it. */
function place(tools: HTMLElement, block: HTMLElement, article: HTMLElement): void {
  const [outer, inner] = [article.getBoundingClientRect(), block.getBoundingClientRect()]
  const visible = scrollerOf(article).getBoundingClientRect().top + 8
  const top = Math.max(inner.top - 30, Math.min(visible, inner.bottom - 30))
  tools.style.top = `${top - outer.top}px`
  tools.style.right = `${Math.max(0, outer.right - inner.right)}px`
}

/** `j` and `k` go to the next and the previous passage, Enter to its tools. */
function usePassageKeys(
  article: RefObject<HTMLElement | null>,
  block: HTMLElement | null,
  tools: RefObject<HTMLDivElement | null>,
  readingAt: () => number,
): void {
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      const target = event.target as HTMLElement
      if (target.closest('input, textarea, select, dialog, [contenteditable]') || event.ctrlKey || event.metaKey || event.altKey) return
      if (event.key === 'Enter' && target === block) {
        event.preventDefault()
        tools.current?.querySelector('button')?.focus()
      }
      const by = { j: 1, k: -1 }[event.key]
      if (by === undefined || !article.current) return
      event.preventDefault()
      const blocks = [...article.current.querySelectorAll<HTMLElement>('.block')]
      const focused = blocks.indexOf(document.activeElement as HTMLElement)
      const next = focused < 0 ? blockAt(article.current, readingAt()) : blocks[Math.max(0, Math.min(blocks.length - 1, focused + by))]
      next?.focus()
    }
    window.addEventListener('keydown', listen)
    return () => window.removeEventListener('keydown', listen)
  }, [article, block, tools, readingAt])
}
