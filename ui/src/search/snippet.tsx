// The snippet of a search result with its highlights, whose spans count characters (code points).
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

export function Snippet({ text, highlights }: { text: string; highlights: readonly (readonly number[])[] }) {
  return (
    <p className="snippet" dir="auto">
      {splitHighlights(text, highlights).map((part, index) => (part.hit ? <mark key={index}>{part.text}</mark> : part.text))}
    </p>
  )
}
