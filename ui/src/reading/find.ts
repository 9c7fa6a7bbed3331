// Finds words in the text of a document. It works on the parsed text, so what is not drawn is found too.
import type { Block } from '../markdown/blocks'
import { type Inline, inlineOf } from '../markdown/inline'
import type { Line } from '../markdown/source'

export interface Match {
  start: number
  end: number
}

/** Text that is shown without a break, with its offset in the markdown. */
interface Run {
  text: string
  at: number
}

/** The searchable text of a block: `positions[i]` is where run `i` begins in `text`. */
export interface BlockText {
  text: string
  runs: Run[]
  positions: number[]
}

export const MAX_MATCHES = 5_000
/** Between parts of a block that are shown apart, such as the cells of a table; no query contains it. */
const GAP: Run = { text: '\0', at: -1 }

export function blockText(block: Block): BlockText {
  const runs: Run[] = []
  collect(block, runs)
  const positions: number[] = []
  let text = ''
  for (const run of runs) {
    positions.push(text.length)
    text += run.text
  }
  return { text: fold(text), runs, positions }
}

/** All matches of a query, in the order of the text. */
export function findMatches(texts: readonly BlockText[], query: string): Match[] {
  const words = fold(query).replace(/ +/g, ' ').trim()
  const matches: Match[] = []
  if (!words) return matches
  for (const block of texts) {
    for (let index = block.text.indexOf(words); index >= 0; index = block.text.indexOf(words, index + words.length)) {
      matches.push({ start: sourceOffset(block, index), end: sourceOffset(block, index + words.length - 1) + 1 })
      if (matches.length >= MAX_MATCHES) return matches
    }
  }
  return matches
}

/** The index of the first match at or after a position; the first of all if there is none. */
export function firstMatchFrom(matches: readonly Match[], at: number): number {
  return Math.max(0, matches.findIndex(({ start }) => start >= at))
}

/** The text as it is shown, without markdown. */
export function plainText(block: Block): string {
  const runs: Run[] = []
  collect(block, runs)
  return runs.map(({ text }) => (text === '\0' ? ' ' : text)).join('').replace(/\s+/g, ' ').trim()
}

/** Small letters, plain quotation marks and spaces, each in the place of the original. */
function fold(text: string): string {
  const small = text.toLowerCase()
  // A few capital letters become two characters; then case counts, because the offsets must stay.
  return (small.length === text.length ? small : text).replace(/[‘’]/g, "'").replace(/[“”]/g, '"').replace(/\s/g, ' ')
}

function sourceOffset({ runs, positions }: BlockText, position: number): number {
  let [low, high] = [0, positions.length - 1]
  while (low < high) {
    const half = (low + high + 1) >> 1
    if (positions[half]! <= position) low = half
    else high = half - 1
  }
  return runs[low]!.at + position - positions[low]!
}

function collect(block: Block, runs: Run[]): void {
  switch (block.type) {
    case 'heading':
    case 'paragraph':
      return collectInline(inlineOf(block.lines), runs)
    case 'code':
      return block.lines.forEach((line) => collectLine(line, runs))
    case 'quote':
    case 'note':
      return collectAll(block.blocks, runs)
    case 'list':
      return block.items.forEach((item) => collectAll(item, runs))
    case 'table':
      return block.rows.forEach((row) =>
        row.forEach((cell) => {
          collectInline(inlineOf([cell]), runs)
          runs.push(GAP)
        }),
      )
    case 'rule':
  }
}

function collectAll(blocks: readonly Block[], runs: Run[]): void {
  for (const block of blocks) {
    collect(block, runs)
    runs.push(GAP)
  }
}

function collectLine(line: Line, runs: Run[]): void {
  runs.push({ text: `${line.text}\n`, at: line.at })
}

function collectInline(nodes: readonly Inline[], runs: Run[]): void {
  for (const node of nodes) {
    if (node.type === 'text' || node.type === 'code') runs.push({ text: node.text, at: node.at })
    else if (node.type === 'break') runs.push(GAP)
    else if (node.type !== 'reference') collectInline(node.children, runs)
  }
}
