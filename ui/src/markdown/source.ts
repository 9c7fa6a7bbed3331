// Text that remembers where it came from, so that a span of the file can be marked on the page.

export interface Line {
  text: string
  /** Where the text begins in the whole markdown. */
  at: number
}

export function linesOf(markdown: string): Line[] {
  const lines: Line[] = []
  let at = 0
  for (const text of markdown.split('\n')) {
    lines.push({ text, at })
    at += text.length + 1
  }
  return lines
}

export function cut(line: Line, start: number, end?: number): Line {
  return { text: line.text.slice(start, end), at: line.at + start }
}

/** Leading spaces, a tab counting to the next multiple of four. */
export function indentOf(text: string): number {
  let width = 0
  for (const sign of text) {
    if (sign === ' ') width += 1
    else if (sign === '\t') width += 4 - (width % 4)
    else break
  }
  return width
}

/** Drop up to `width` columns of leading white space. */
export function dedent(line: Line, width: number): Line {
  let column = 0
  let index = 0
  while (index < line.text.length && column < width) {
    const sign = line.text[index]
    if (sign === ' ') column += 1
    else if (sign === '\t') column += 4 - (column % 4)
    else break
    index += 1
  }
  return cut(line, index)
}

/**
 * The server counts characters (code points); a browser counts half a pair for each beyond the first 65,536.
 * Offsets must come in rising order.
 */
export function toUtf16(text: string, offsets: readonly number[]): number[] {
  if (!/[\ud800-\udbff]/.test(text)) return [...offsets]
  const found: number[] = []
  let index = 0
  let characters = 0
  for (const offset of offsets) {
    while (characters < offset && index < text.length) {
      index += text.codePointAt(index)! > 0xffff ? 2 : 1
      characters += 1
    }
    found.push(index)
  }
  return found
}
