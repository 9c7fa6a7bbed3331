// The snippet of a search result with its highlights, whose spans count characters (code points).
import { useMemo } from 'react'
import { renderLines } from '../markdown/passage'
import type { Mark } from '../markdown/render'
import { toUtf16 } from '../markdown/source'

export interface SnippetPart {
  text: string
  hit: boolean
}

export function splitHighlights(snippet: string, highlights: readonly (readonly number[])[]): SnippetPart[] {
  const spans = highlights
    .map(([start, end]) => [start ?? 0, end ?? 0] as const)
    .filter(([start, end]) => end > start)
    .sort((a, b) => a[0] - b[0])
  const parts: SnippetPart[] = []
  let offset = 0
  const push = (end: number, hit: boolean) => {
    if (end > offset) parts.push({ text: snippet.slice(offset, end), hit })
    offset = Math.max(offset, end)
  }
  const edges = toUtf16(snippet, spans.flat().sort((a, b) => a - b))
  const utf16 = new Map(spans.flat().sort((a, b) => a - b).map((edge, index) => [edge, edges[index]!]))
  for (const [start, end] of spans) {
    push(utf16.get(start)!, false)
    push(utf16.get(end)!, true)
  }
  push(snippet.length, false)
  return parts
}

/** A snippet as rendered markdown, in one paragraph. */
export function Snippet({ text, highlights }: { text: string; highlights: readonly (readonly number[])[] }) {
  const nodes = useMemo(() => renderLines(text, marksOf(text, highlights)), [text, highlights])
  return (
    <p className="snippet" dir="auto">
      {nodes}
    </p>
  )
}

function marksOf(text: string, highlights: readonly (readonly number[])[]): Mark[] {
  let at = 0
  return splitHighlights(text, highlights).flatMap((part): Mark[] => {
    const start = at
    at += part.text.length
    return part.hit ? [{ start, end: at, kind: 'word' }] : []
  })
}
