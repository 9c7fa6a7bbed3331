// The document as text, with the passage that was asked for marked in it.
import { useQuery } from '@tanstack/react-query'
import { memo, type ReactNode, useEffect, useMemo, useRef, useState } from 'react'
import { contentQuery } from '../api/queries'
import { type Block, parse } from '../markdown/blocks'
import { type Mark, renderBlocks } from '../markdown/render'
import { toUtf16 } from '../markdown/source'
import { Empty, Loading, Trouble } from '../parts/pieces'

/** Text is drawn in sections; those far from sight wait, so that a long book opens as fast as a letter. */
const SECTION = 60
const DRAWN_AT_ONCE = 50

export function Reading({ id, span, going }: { id: string; span: [number, number] | null; going: boolean }) {
  const { data: markdown, error, isPending } = useQuery(contentQuery(id))
  if (error) return <Trouble error={error} />
  if (isPending) return <Loading what="Fetching the text" />
  if (markdown === null) {
    return (
      <Empty icon="document" title="No text yet">
        <p>{going ? 'It appears here as soon as the document is ready.' : 'Nothing was read from this document.'}</p>
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
    return { start: from!, end: to!, kind: 'passage' }
  }, [markdown, start, end])
  const target = mark ? sections.findLastIndex((section) => section[0]!.at <= mark.start) : -1

  useEffect(() => {
    if (!mark) return
    const show = () => article.current?.querySelector('mark')?.scrollIntoView({ block: 'center' })
    show()
    // What is drawn above may turn out taller than it was thought to be.
    const timer = setTimeout(show, 300)
    return () => clearTimeout(timer)
  }, [mark])

  return (
    <article className="reading" ref={article} dir="auto">
      {sections.map((section, index) => (
        <Section
          key={section[0]!.at}
          blocks={section}
          mark={mark && touches(sections, index, mark) ? mark : null}
          drawn={sections.length <= DRAWN_AT_ONCE || Math.abs(index - Math.max(0, target)) <= 2}
        />
      ))}
    </article>
  )
}

export function sectionsOf(blocks: Block[]): Block[][] {
  const sections: Block[][] = []
  for (let start = 0; start < blocks.length; start += SECTION) sections.push(blocks.slice(start, start + SECTION))
  return sections
}

function touches(sections: Block[][], index: number, mark: Mark): boolean {
  const next = sections[index + 1]?.[0]?.at ?? Infinity
  return mark.start < next && mark.end > sections[index]![0]!.at
}

const Section = memo(function Section({ blocks, mark, drawn }: { blocks: Block[]; mark: Mark | null; drawn: boolean }) {
  const frame = useRef<HTMLDivElement>(null)
  const [near, setNear] = useState(drawn)
  useEffect(() => {
    if (near) return
    const watcher = new IntersectionObserver(
      ([entry]) => {
        if (entry!.isIntersecting) setNear(true)
      },
      { rootMargin: '1500px 0px' },
    )
    watcher.observe(frame.current!)
    return () => watcher.disconnect()
  }, [near])
  const shown: ReactNode = useMemo(
    () => (near || drawn ? renderBlocks(blocks, { marks: mark ? [mark] : [], level: { now: 1 } }) : null),
    [near, drawn, blocks, mark],
  )
  return (
    <div ref={frame} className={shown ? 'section' : 'section waiting'}>
      {shown}
    </div>
  )
})
