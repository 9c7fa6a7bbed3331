// Parses HTML tables, which some readers produce. Tags inside cells are removed.
import type { Block } from './blocks'
import type { Line } from './source'

const TAG = /<(\/?)(tr|t[dh])(?:\s[^<>]*)?>|<\/table\s*>/gi
const MAX_LINES = 20_000

export function htmlTable(lines: Line[], index: number): [Block, number] | null {
  let end = index
  while (end < lines.length && end - index < MAX_LINES && !/<\/table\s*>/i.test(lines[end]!.text)) end += 1
  if (!/<\/table\s*>/i.test(lines[end]?.text ?? '')) return null
  const at = lines[index]!.at
  const text = lines
    .slice(index, end + 1)
    .map((line) => line.text)
    .join('\n')
  const rows: Line[][] = []
  let cell: number | null = null
  for (const tag of text.matchAll(TAG)) {
    const name = (tag[2] ?? 'table').toLowerCase()
    if (name !== 'tr' && !tag[1]) {
      cell = tag.index + tag[0].length
      continue
    }
    if (cell !== null) {
      const content = text.slice(cell, tag.index)
      // Without inner tags every offset of the text is exact; with them only the first one is.
      rows[rows.length - 1]?.push({ text: content.replace(/<[^<>]*>/g, ' ').trim(), at: at + cell })
      cell = null
    }
    if (name === 'tr' && !tag[1]) rows.push([])
  }
  const nonEmptyRows = rows.filter((row) => row.length)
  if (!nonEmptyRows.length) return null
  return [{ type: 'table', align: [], rows: nonEmptyRows, at }, end + 1]
}
