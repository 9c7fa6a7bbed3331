// Parses markdown into blocks. Unknown syntax stays text.
import { htmlTable } from './html-table'
import { cut, dedent, indentOf, type Line, linesOf } from './source'

export type Align = 'left' | 'center' | 'right' | null

export type Block =
  | { type: 'heading'; level: number; lines: Line[]; at: number }
  | { type: 'paragraph'; lines: Line[]; at: number }
  | { type: 'code'; lines: Line[]; at: number }
  | { type: 'quote'; blocks: Block[]; at: number }
  | { type: 'list'; ordered: boolean; start: number; items: Block[][]; at: number }
  | { type: 'table'; align: Align[]; rows: Line[][]; at: number }
  | { type: 'note'; name: string; blocks: Block[]; at: number }
  | { type: 'rule'; at: number }

/** Blocks nested deeper than this are shown as text. */
const MAX_DEPTH = 12

const HEADING = /^ {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$/
const FENCE = /^ {0,3}(`{3,}|~{3,})([^`]*)$/
const RULE = /^ {0,3}(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$/
const QUOTE = /^ {0,3}> ?/
const ITEM = /^( {0,3})([-+*]|(\d{1,9})[.)])( {1,4}(?=\S)|[ \t]*$| )/
const NOTE = /^ {0,3}\[\^([^\]\s]{1,60})\]:[ \t]*/
const COMMENT = /^ {0,3}<!--.*-->\s*$/
const DELIMITER = /^ {0,3}\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$/

export function parse(markdown: string): Block[] {
  return blocksOf(linesOf(markdown), 0)
}

function blocksOf(lines: Line[], depth: number): Block[] {
  const blocks: Block[] = []
  let index = 0
  while (index < lines.length) {
    const line = lines[index]!
    if (!line.text.trim() || COMMENT.test(line.text)) {
      index += 1
      continue
    }
    const parsed = depth < MAX_DEPTH ? special(lines, index, depth) : null
    const [block, next] = parsed ?? paragraph(lines, index, depth)
    blocks.push(block)
    index = next
  }
  return blocks
}

type Parsed = [block: Block, next: number]

function special(lines: Line[], index: number, depth: number): Parsed | null {
  const line = lines[index]!
  const { text, at } = line
  const fence = FENCE.exec(text)
  if (fence) return code(lines, index, fence[1]!)
  if (indentOf(text) >= 4) return indented(lines, index)
  const heading = HEADING.exec(text)
  if (heading) {
    const title = heading[2] ?? ''
    const start = text.indexOf(title, heading[1]!.length + text.indexOf('#'))
    return [{ type: 'heading', level: heading[1]!.length, lines: [cut(line, start, start + title.length)], at }, index + 1]
  }
  if (RULE.test(text)) return [{ type: 'rule', at }, index + 1]
  if (QUOTE.test(text)) return quote(lines, index, depth)
  if (NOTE.test(text)) return note(lines, index, depth)
  if (ITEM.test(text)) return list(lines, index, depth)
  if (text.includes('|') && DELIMITER.test(lines[index + 1]?.text ?? '')) return table(lines, index)
  if (/^ {0,3}<table[\s>]/i.test(text)) return htmlTable(lines, index)
  return null
}

function paragraph(lines: Line[], index: number, depth: number): Parsed {
  const first = index
  const body: Line[] = []
  for (; index < lines.length; index += 1) {
    const line = lines[index]!
    if (!line.text.trim()) break
    if (index > first && depth < MAX_DEPTH && interrupts(lines, index)) break
    body.push(line)
  }
  return [{ type: 'paragraph', lines: body, at: body[0]!.at }, index]
}

function interrupts(lines: Line[], index: number): boolean {
  const { text } = lines[index]!
  if (HEADING.test(text) || FENCE.test(text) || RULE.test(text) || QUOTE.test(text) || NOTE.test(text)) return true
  const item = ITEM.exec(text)
  if (item && item[0].trimEnd() !== text.trimEnd() && (item[3] === undefined || item[3] === '1')) return true
  return text.includes('|') && DELIMITER.test(lines[index + 1]?.text ?? '')
}

function code(lines: Line[], index: number, fence: string): Parsed {
  const opening = lines[index]!
  const indent = indentOf(opening.text)
  const closing = new RegExp(`^ {0,3}${fence[0] === '`' ? '`' : '~'}{${fence.length},}[ \\t]*$`)
  const body: Line[] = []
  index += 1
  while (index < lines.length && !closing.test(lines[index]!.text)) {
    body.push(dedent(lines[index]!, indent))
    index += 1
  }
  return [{ type: 'code', lines: body, at: opening.at }, index + 1]
}

function indented(lines: Line[], index: number): Parsed {
  const at = lines[index]!.at
  const body: Line[] = []
  while (index < lines.length) {
    const line = lines[index]!
    if (line.text.trim() && indentOf(line.text) < 4) break
    body.push(dedent(line, 4))
    index += 1
  }
  while (body.length && !body[body.length - 1]!.text.trim()) body.pop()
  return [{ type: 'code', lines: body, at }, index]
}

function quote(lines: Line[], index: number, depth: number): Parsed {
  const at = lines[index]!.at
  const inside: Line[] = []
  for (; index < lines.length; index += 1) {
    const line = lines[index]!
    const marker = QUOTE.exec(line.text)
    if (marker) inside.push(cut(line, marker[0].length))
    else if (line.text.trim() && inside[inside.length - 1]?.text.trim() && !interrupts(lines, index)) inside.push(line)
    else break
  }
  return [{ type: 'quote', blocks: blocksOf(inside, depth + 1), at }, index]
}

function note(lines: Line[], index: number, depth: number): Parsed {
  const line = lines[index]!
  const marker = NOTE.exec(line.text)!
  const [inside, next] = hanging(lines, index + 1, 2)
  const blocks = blocksOf([cut(line, marker[0].length), ...inside], depth + 1)
  return [{ type: 'note', name: marker[1]!, blocks, at: line.at }, next]
}

function list(lines: Line[], index: number, depth: number): Parsed {
  const first = ITEM.exec(lines[index]!.text)!
  const ordered = first[3] !== undefined
  const at = lines[index]!.at
  const items: Block[][] = []
  while (index < lines.length) {
    const line = lines[index]!
    const marker = ITEM.exec(line.text)
    if (!marker || (marker[3] !== undefined) !== ordered || RULE.test(line.text)) break
    const empty = marker[0].trimEnd() === line.text.trimEnd()
    const width = empty ? marker[1]!.length + marker[2]!.length + 1 : marker[0].length
    const [inside, next] = hanging(lines, index + 1, width)
    items.push(blocksOf([cut(line, Math.min(width, line.text.length)), ...inside], depth + 1))
    index = next
    while (index < lines.length && !lines[index]!.text.trim() && ITEM.test(followingText(lines, index))) index += 1
  }
  return [{ type: 'list', ordered, start: Number(first[3] ?? 1), items, at }, index]
}

function followingText(lines: Line[], index: number): string {
  return lines[index + 1]?.text ?? ''
}

/** The lines of a list item or note: indented lines, blank lines between them, and lazy continuation lines. */
function hanging(lines: Line[], index: number, width: number): [Line[], number] {
  const inside: Line[] = []
  while (index < lines.length) {
    const line = lines[index]!
    if (!line.text.trim()) {
      let next = index
      while (next < lines.length && !lines[next]!.text.trim()) next += 1
      if (next >= lines.length || indentOf(lines[next]!.text) < width) break
      for (; index < next; index += 1) inside.push(dedent(lines[index]!, width))
      continue
    }
    const belongs = indentOf(line.text) >= width
    const previous = inside[inside.length - 1]?.text ?? 'words'
    if (!belongs && (!previous.trim() || ITEM.test(line.text) || interrupts(lines, index))) break
    inside.push(belongs ? dedent(line, width) : line)
    index += 1
  }
  return [inside, index]
}

function table(lines: Line[], index: number): Parsed {
  const at = lines[index]!.at
  const align = cells(lines[index + 1]!).map((cell): Align => {
    const [left, right] = [cell.text.startsWith(':'), cell.text.endsWith(':')]
    return left && right ? 'center' : right ? 'right' : left ? 'left' : null
  })
  const rows = [cells(lines[index]!)]
  index += 2
  while (index < lines.length && lines[index]!.text.includes('|') && lines[index]!.text.trim()) {
    rows.push(cells(lines[index]!).slice(0, align.length))
    index += 1
  }
  return [{ type: 'table', align, rows, at }, index]
}

/** The cells of a pipe-table row; `\|` is text, not a border. */
export function cells(line: Line): Line[] {
  const row: Line[] = []
  const { text } = line
  let start = text.length - text.trimStart().length
  if (text[start] === '|') start += 1
  for (let index = start; index <= text.length; index += 1) {
    if (index < text.length && text[index] === '\\') {
      index += 1
      continue
    }
    if (index === text.length || text[index] === '|') {
      const inner = text.slice(start, index)
      if (index < text.length || inner.trim()) {
        const lead = inner.length - inner.trimStart().length
        row.push({ text: inner.trim(), at: line.at + start + lead })
      }
      start = index + 1
    }
  }
  return row
}
