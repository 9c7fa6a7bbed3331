// Lines of markdown with their offsets in the whole text, so that spans can be marked.

export interface Line {
  text: string
  /** The offset of the text in the whole markdown. */
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
  for (const char of text) {
    if (char === ' ') width += 1
    else if (char === '\t') width += 4 - (width % 4)
    else break
  }
  return width
}

/** Drop up to `width` columns of leading white space. */
export function dedent(line: Line, width: number): Line {
  let column = 0
  let index = 0
  while (index < line.text.length && column < width) {
    const char = line.text[index]
    if (char === ' ') column += 1
    else if (char === '\t') column += 4 - (column % 4)
    else break
    index += 1
  }
  return cut(line, index)
}

/**
 * Converts offsets in code points, as the server counts, to offsets in UTF-16 code units, as the browser counts.
 * The offsets must be in ascending order.
 */
export function toUtf16(text: string, offsets: readonly number[]): number[] {
  if (!/[\ud800-\udbff]/.test(text)) return [...offsets]
  const converted: number[] = []
  let index = 0
  let characters = 0
  for (const offset of offsets) {
    while (characters < offset && index < text.length) {
      index += text.codePointAt(index)! > 0xffff ? 2 : 1
      characters += 1
    }
    converted.push(index)
  }
  return converted
}

/** The reverse of `toUtf16`. The offsets must be in ascending order. */
export function toCodePoints(text: string, offsets: readonly number[]): number[] {
  if (!/[\ud800-\udbff]/.test(text)) return [...offsets]
  const converted: number[] = []
  let [index, characters] = [0, 0]
  for (const offset of offsets) {
    for (; index < offset && index < text.length; characters += 1) index += text.codePointAt(index)! > 0xffff ? 2 : 1
    converted.push(characters)
  }
  return converted
}
