// Some readers give tables as HTML. Their cells are taken as text; every tag in them is dropped.
import type { Block } from './blocks'
import type { Line } from './source'

const PIECE = /<(\/?)(tr|t[dh])(?:\s[^<>]*)?>|<\/table\s*>/gi
const LONGEST = 20_000

export function htmlTable(lines: Line[], index: number): [Block, number] | null {
  let end = index
  while (end < lines.length && end - index < LONGEST && !/<\/table\s*>/i.test(lines[end]!.text)) end += 1
  if (!/<\/table\s*>/i.test(lines[end]?.text ?? '')) return null
  const at = lines[index]!.at
  const text = lines
    .slice(index, end + 1)
    .map((line) => line.text)
    .join('\n')
  const rows: Line[][] = []
  let cell: number | null = null
  for (const piece of text.matchAll(PIECE)) {
    const name = (piece[2] ?? 'table').toLowerCase()
    if (name !== 'tr' && !piece[1]) {
      cell = piece.index + piece[0].length
      continue
    }
    if (cell !== null) {
      const words = text.slice(cell, piece.index)
      // Without inner tags the text keeps its place in the file; with them only its beginning does.
      rows[rows.length - 1]?.push({ text: words.replace(/<[^<>]*>/g, ' ').trim(), at: at + cell })
      cell = null
    }
    if (name === 'tr' && !piece[1]) rows.push([])
  }
  const filled = rows.filter((row) => row.length)
  if (!filled.length) return null
  return [{ type: 'table', align: [], rows: filled, at }, end + 1]
}
