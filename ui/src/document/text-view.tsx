// The extracted text of a document, with the linked span marked.
import { useQuery } from '@tanstack/react-query'
import { memo, type ReactNode, useEffect, useMemo, useRef, useState } from 'react'
import { contentQuery } from '../api/queries'
import { type Block, parse } from '../markdown/blocks'
import { type Mark, renderBlocks } from '../markdown/render'
import { toUtf16 } from '../markdown/source'
import { Empty, Loading, ErrorNotice } from '../parts/notices'

/** Text is drawn in sections of 60 blocks. Beyond 50 sections, only those near the visible area are drawn. */
const BLOCKS_PER_SECTION = 60
const MAX_SECTIONS_DRAWN = 50

export function TextView({ id, span, processing }: { id: string; span: [number, number] | null; processing: boolean }) {
  const { data: markdown, error, isPending } = useQuery(contentQuery(id))
  if (error) return <ErrorNotice error={error} />
  if (isPending) return <Loading what="Loading the text" />
  if (markdown === null) {
    return (
      <Empty icon="document" title="No text yet">
        <p>{processing ? 'The text is shown here when the document is completed.' : 'This document has no text.'}</p>
      </Empty>
    )
  }
  return <Text markdown={markdown} span={span} />
}

function Text({ markdown, span }: { markdown: string; span: [number, number] | null }) {
  const article = useRef<HTMLElement>(null)
  const sections = useMemo(() => sectionsOf(parse(markdown)), [markdown])
  const [start, end] = span ?? [null, null]
  const mark = useMemo((): Mark | null => {
    if (start === null || end === null) return null
    const [from, to] = toUtf16(markdown, [start, end])
    return { start: from!, end: to!, kind: 'chunk' }
  }, [markdown, start, end])
  const target = mark ? sections.findLastIndex((section) => section[0]!.at <= mark.start) : -1

  useEffect(() => {
    if (!mark) return
    const show = () => article.current?.querySelector('mark')?.scrollIntoView({ block: 'center' })
    show()
    // Scroll again: sections above may be taller than estimated once they are drawn.
    const timer = setTimeout(show, 300)
    return () => clearTimeout(timer)
  }, [mark])

  return (
    <article className="document-text" ref={article} dir="auto">
      {sections.map((section, index) => (
        <Section
          key={section[0]!.at}
          blocks={section}
          mark={mark && overlaps(sections, index, mark) ? mark : null}
          drawn={sections.length <= MAX_SECTIONS_DRAWN || Math.abs(index - Math.max(0, target)) <= 2}
        />
      ))}
    </article>
  )
}

export function sectionsOf(blocks: Block[]): Block[][] {
  const sections: Block[][] = []
  for (let start = 0; start < blocks.length; start += BLOCKS_PER_SECTION) {
    sections.push(blocks.slice(start, start + BLOCKS_PER_SECTION))
  }
  return sections
}

function overlaps(sections: Block[][], index: number, mark: Mark): boolean {
  const next = sections[index + 1]?.[0]?.at ?? Infinity
  return mark.start < next && mark.end > sections[index]![0]!.at
}

const Section = memo(function Section({ blocks, mark, drawn }: { blocks: Block[]; mark: Mark | null; drawn: boolean }) {
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
  const shown: ReactNode = useMemo(
    () => (near || drawn ? renderBlocks(blocks, { marks: mark ? [mark] : [], level: { current: 1 } }) : null),
    [near, drawn, blocks, mark],
  )
  return (
    <div ref={frame} className={shown ? 'section' : 'section waiting'}>
      {shown}
    </div>
  )
})
