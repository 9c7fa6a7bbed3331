// A hit's snippet with what matched marked. Spans count characters, as the server does.
import { toUtf16 } from '../markdown/source'

export interface Piece {
  text: string
  hit: boolean
}

export function piecesOf(snippet: string, highlights: readonly (readonly number[])[]): Piece[] {
  const spans = highlights
    .map(([start, end]) => [start ?? 0, end ?? 0] as const)
    .filter(([start, end]) => end > start)
    .sort((one, other) => one[0] - other[0])
  const pieces: Piece[] = []
  let at = 0
  const push = (end: number, hit: boolean) => {
    if (end > at) pieces.push({ text: snippet.slice(at, end), hit })
    at = Math.max(at, end)
  }
  const edges = toUtf16(snippet, spans.flat().sort((one, other) => one - other))
  const place = new Map(spans.flat().sort((one, other) => one - other).map((edge, index) => [edge, edges[index]!]))
  for (const [start, end] of spans) {
    push(place.get(start)!, false)
    push(place.get(end)!, true)
  }
  push(snippet.length, false)
  return pieces
}

export function Snippet({ text, highlights }: { text: string; highlights: readonly (readonly number[])[] }) {
  return (
    <p className="snippet" dir="auto">
      {piecesOf(text, highlights).map((piece, index) => (piece.hit ? <mark key={index}>{piece.text}</mark> : piece.text))}
    </p>
  )
}
