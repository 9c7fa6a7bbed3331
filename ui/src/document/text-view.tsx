// The extracted text of a document: the linked span and found words are marked, the outline is beside it.
import { useQuery } from '@tanstack/react-query'
import { memo, type ReactNode, useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { createPortal, flushSync } from 'react-dom'
import { contentQuery } from '../api/queries'
import { type Document, titleOf } from '../library/list'
import { type Block, parse } from '../markdown/blocks'
import { type Mark, renderBlocks } from '../markdown/render'
import { toCodePoints, toUtf16 } from '../markdown/source'
import { Empty, Loading, Notice, ErrorNotice } from '../parts/notices'
import { blockText, findMatches, firstMatchFrom } from '../reading/find'
import { FindBar } from '../reading/find-bar'
import { type Bookmark, headingPath, headingsOf, type OutlineEntry, outlineOf } from '../reading/outline'
import { OutlinePanel } from '../reading/outline-panel'
import { pageAt, pagesQuery, spansOf, type Unit } from '../reading/pages'
import { citation, locate, passageLink, type Span } from '../reading/passage'
import { PassageTools } from '../reading/passage-tools'
import type { ReadingPosition } from '../reading/position'
import { offsetAtReadingLine, scrollerOf, scrollToOffset } from '../reading/scroll'
import { replacePlace } from '../route'

/** Text is drawn in sections of 60 blocks. Beyond 50 sections, only those near the visible area are drawn. */
const BLOCKS_PER_SECTION = 60
const MAX_SECTIONS_DRAWN = 50
/** Milliseconds after the last movement before the place is written into the address. */
const PLACE_DELAY = 400

interface Props {
  document: Document
  span: [number, number] | null
  quote: string | null
  /** The place to show, in characters; before the span. */
  at: number | null
  processing: boolean
  position: ReadingPosition
  bookmarks: readonly Bookmark[]
  finding: boolean
  onFindClosed: () => void
  outlineShown: boolean
  /** Where the outline is drawn; null over the text. */
  outlineHost: HTMLElement | null
  onOutlineClosed: () => void
}

export function TextView(props: Props) {
  const { id } = props.document
  const { data: markdown, error, isPending } = useQuery(contentQuery(id))
  const pages = useQuery(pagesQuery(id))
  if (error) return <ErrorNotice error={error} />
  if (isPending || pages.isPending) return <Loading what="Loading the text" />
  if (markdown === null) {
    return (
      <Empty icon="document" title="No text yet">
        <p>{props.processing ? 'The text is shown here when the document is completed.' : 'This document has no text.'}</p>
      </Empty>
    )
  }
  return <Text {...props} markdown={markdown} pages={pages.data?.pages ?? []} unit={pages.data?.unit ?? 'page'} />
}

interface TextProps extends Props {
  markdown: string
  pages: Parameters<typeof spansOf>[1]
  unit: Unit
}

function Text({ document: shown, markdown, span, quote, at, position, bookmarks, unit, ...props }: TextProps) {
  const article = useRef<HTMLElement>(null)
  const blocks = useMemo(() => parse(markdown), [markdown])
  const sections = useMemo(() => sectionsOf(blocks), [blocks])
  const pages = useMemo(() => spansOf(markdown, props.pages), [markdown, props.pages])
  const [target, missing] = useLinkedSpan(markdown, span, quote)
  const [drawnSection, setDrawnSection] = useState(-1)
  const [printing, setPrinting] = useState(false)

  const show = useCallback(
    (offset: number) => {
      const section = sections.findLastIndex(([first]) => first!.at <= offset)
      flushSync(() => setDrawnSection(section))
      if (!article.current) return
      scrollToOffset(article.current, offset)
      position.at.set(offset)
    },
    [sections, position],
  )
  const showLasting = useLastingScroll(show)
  useEffect(() => {
    position.pages = pages
    position.showOffset = showLasting
    return () => {
      position.showOffset = null
    }
  }, [position, pages, showLasting])
  const [startAt] = at === null ? [null] : toUtf16(markdown, [at])
  useEffect(() => {
    if (startAt != null) position.goTo(startAt)
    else if (target) showLasting(target.start)
  }, [startAt, target, position, showLasting])
  usePlaceInAddress(article, markdown, position)
  useEffect(() => {
    const before = () => flushSync(() => setPrinting(true))
    const after = () => setPrinting(false)
    window.addEventListener('beforeprint', before)
    window.addEventListener('afterprint', after)
    return () => {
      window.removeEventListener('beforeprint', before)
      window.removeEventListener('afterprint', after)
    }
  }, [])

  const find = useFind(blocks, props.finding, position)
  const marks = useMemo(
    () => marksBySection(sections, target, find.marks, find.current),
    [sections, target, find.marks, find.current],
  )
  const outline = useMemo(() => outlineOf({ blocks, pages, unit, bookmarks }), [blocks, pages, unit, bookmarks])
  const headings = useMemo(() => headingsOf(blocks, pages), [blocks, pages])
  const textsOf = (passage: Span) => {
    const page = pageAt(pages, passage.start)
    const section = headingPath(headings, passage.start).at(-1) ?? null
    return {
      link: passageLink(shown.id, markdown, passage, page?.number ?? null),
      citation: citation(titleOf(shown) ?? shown.name, section, page, unit),
      markdown: markdown.slice(passage.start, passage.end).trim(),
    }
  }
  const center = Math.max(0, drawnSection)
  const goTo = (entry: OutlineEntry) => {
    position.goTo(entry.at)
    if (!props.outlineHost) props.onOutlineClosed()
  }
  const panel = <OutlinePanel entries={outline} position={position} onSelect={goTo} onClose={props.onOutlineClosed} />
  return (
    <>
      {props.finding && (
        <FindBar
          query={find.query}
          current={find.current}
          total={find.marks.length}
          onQuery={find.setQuery}
          onMove={find.move}
          onClose={props.onFindClosed}
        />
      )}
      <div className="reading">
        {props.outlineShown &&
          (props.outlineHost ? createPortal(panel, props.outlineHost) : panel)}
        <article className="document-text" ref={article} dir="auto">
          {missing && (
            <Notice tone="waiting">
              <p>The linked passage is no longer in this document: its text has changed.</p>
            </Notice>
          )}
          {sections.map((section, index) => (
            <Section
              key={section[0]!.at}
              blocks={section}
              end={sections[index + 1]?.[0]?.at ?? markdown.length}
              marks={marks.get(index) ?? NO_MARKS}
              drawn={printing || sections.length <= MAX_SECTIONS_DRAWN || Math.abs(index - center) <= 2}
              target={index === drawnSection}
            />
          ))}
          <PassageTools article={article} textsOf={textsOf} readingAt={() => position.at.get() ?? 0} />
        </article>
      </div>
    </>
  )
}

const NO_MARKS: readonly Mark[] = []

/** The linked span as a mark, and whether its passage is gone. */
function useLinkedSpan(markdown: string, span: [number, number] | null, quote: string | null): [Mark | null, boolean] {
  const [start, end] = span ?? [null, null]
  return useMemo(() => {
    if (start === null || end === null) return [null, false]
    const [from, to] = toUtf16(markdown, [start, end])
    const located = locate(markdown, { start: from!, end: to! }, quote)
    return [located && { ...located, kind: 'chunk' }, located === null]
  }, [markdown, start, end, quote])
}

/** Scrolls at once, and some times more: sections above may be taller than estimated once they are drawn. */
function useLastingScroll(show: (at: number) => void): (at: number) => void {
  const timers = useRef<ReturnType<typeof setTimeout>[]>([])
  const stop = useCallback(() => timers.current.forEach(clearTimeout), [])
  useEffect(() => {
    // A person who scrolls meanwhile decides.
    window.addEventListener('wheel', stop, { passive: true })
    window.addEventListener('touchmove', stop, { passive: true })
    return () => {
      stop()
      window.removeEventListener('wheel', stop)
      window.removeEventListener('touchmove', stop)
    }
  }, [stop])
  return useCallback(
    (at: number) => {
      stop()
      // Not inside of React's effects, in which it cannot draw.
      timers.current = [0, 80, 350, 900].map((delay) => setTimeout(() => show(at), delay))
    },
    [show, stop],
  )
}

/** Tells the place that is read, moves the original along, and writes the place into the address. */
function usePlaceInAddress(article: React.RefObject<HTMLElement | null>, markdown: string, position: ReadingPosition): void {
  useEffect(() => {
    const scroller = scrollerOf(article.current!)
    let timer: ReturnType<typeof setTimeout> | undefined
    let frame = 0
    const moved = () => {
      const at = article.current && offsetAtReadingLine(article.current)
      if (at === null) return
      position.textMoved(at)
      if (position.leader === null) return
      clearTimeout(timer)
      timer = setTimeout(() => replacePlace(toCodePoints(markdown, [at])[0]!), PLACE_DELAY)
    }
    const onScroll = () => {
      cancelAnimationFrame(frame)
      frame = requestAnimationFrame(moved)
    }
    onScroll()
    scroller.addEventListener('scroll', onScroll, { passive: true })
    return () => {
      clearTimeout(timer)
      cancelAnimationFrame(frame)
      scroller.removeEventListener('scroll', onScroll)
    }
  }, [article, markdown, position])
}

/** The query of "Find in document", its matches, and the one that is shown. */
function useFind(blocks: readonly Block[], active: boolean, position: ReadingPosition) {
  const [query, setQuery] = useState('')
  const [current, setCurrent] = useState<number | null>(null)
  const texts = useMemo(() => (active ? blocks.map(blockText) : []), [blocks, active])
  const marks = useMemo(
    (): Mark[] => (active ? findMatches(texts, query).map((match) => ({ ...match, kind: 'found' })) : []),
    [texts, query, active],
  )
  // While words are typed, the search begins where it began; after a move, at the match that is shown.
  const from = useRef(0)
  useEffect(() => {
    if (active) from.current = position.at.get() ?? 0
  }, [active, position])
  const select = (index: number) => {
    setCurrent(index)
    position.goTo(marks[index]!.start)
  }
  useEffect(() => {
    if (marks.length) select(firstMatchFrom(marks, from.current))
    else setCurrent(null)
  }, [marks])
  const move = (by: 1 | -1) => {
    if (!marks.length) return
    const next = ((current ?? 0) + by + marks.length) % marks.length
    from.current = marks[next]!.start
    select(next)
  }
  return { query, setQuery, marks, current: marks.length ? current : null, move }
}

export function sectionsOf(blocks: Block[]): Block[][] {
  const sections: Block[][] = []
  for (let start = 0; start < blocks.length; start += BLOCKS_PER_SECTION) {
    sections.push(blocks.slice(start, start + BLOCKS_PER_SECTION))
  }
  return sections
}

/** The marks of each section; the match that is shown is the last one, and is drawn over the others. */
function marksBySection(
  sections: readonly Block[][],
  target: Mark | null,
  found: readonly Mark[],
  current: number | null,
): Map<number, Mark[]> {
  const bySection = new Map<number, Mark[]>()
  const shown = current === null ? undefined : found[current]
  const all = [...(target ? [target] : []), ...found, ...(shown ? [{ ...shown, kind: 'current' as const }] : [])]
  for (const mark of all) {
    let index = Math.max(0, sections.findLastIndex(([first]) => first!.at <= mark.start))
    for (; index < sections.length && sections[index]![0]!.at < mark.end; index += 1) {
      const marks = bySection.get(index)
      if (marks) marks.push(mark)
      else bySection.set(index, [mark])
    }
  }
  return bySection
}

interface SectionProps {
  blocks: Block[]
  end: number
  marks: readonly Mark[]
  drawn: boolean
  /** The browser lays it out even far from the visible area, so that the place in it can be measured. */
  target: boolean
}

const Section = memo(
  function Section({ blocks, end, marks, drawn, target }: SectionProps) {
    const frame = useRef<HTMLDivElement>(null)
    const [near, setNear] = useState(drawn)
    useEffect(() => {
      if (near) return
      const observer = new IntersectionObserver(
        ([entry]) => {
          if (entry!.isIntersecting) setNear(true)
        },
        { rootMargin: '1500px 0px' },
      )
      observer.observe(frame.current!)
      return () => observer.disconnect()
    }, [near])
    const shown = near || drawn
    useEffect(() => {
      if (drawn) setNear(true)
    }, [drawn])
    return (
      <div ref={frame} className={`section${shown ? '' : ' waiting'}${target ? ' target' : ''}`} data-at={blocks[0]!.at} data-end={end}>
        {shown && drawBlocks(blocks, end, marks)}
      </div>
    )
  },
  (before, after) =>
    before.blocks === after.blocks && before.drawn === after.drawn && before.target === after.target && sameMarks(before.marks, after.marks),
)

/** Each block in a frame that knows its span, so that it can be scrolled to, focused and copied. */
function drawBlocks(blocks: readonly Block[], end: number, marks: readonly Mark[]): ReactNode {
  const level = { current: 1 }
  return blocks.map((block, index) => (
    <div
      key={block.at}
      className={block.type === 'table' ? 'block wide' : 'block'}
      data-at={block.at}
      data-end={blocks[index + 1]?.at ?? end}
      tabIndex={-1}
    >
      {renderBlocks([block], { marks, level })}
    </div>
  ))
}

function sameMarks(one: readonly Mark[], other: readonly Mark[]): boolean {
  return one.length === other.length && one.every((mark, index) => mark.start === other[index]!.start && mark.kind === other[index]!.kind && mark.end === other[index]!.end)
}
