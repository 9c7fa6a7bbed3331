// Parses inline markdown: emphasis, code, links. One pass with a stack, so the time is linear in the text's length.
import type { Line } from './source'

export type Inline =
  | { type: 'text'; text: string; at: number }
  | { type: 'code'; text: string; at: number }
  | { type: 'break' }
  | { type: 'strong' | 'emphasis' | 'struck'; children: Inline[] }
  | { type: 'link'; url: string; children: Inline[] }
  | { type: 'image'; children: Inline[] }
  | { type: 'reference'; name: string }

interface Opening {
  /** The index in the output of the opening marker, which stays text until it is closed. */
  index: number
  kind: 'strong' | 'emphasis' | 'struck' | 'bracket' | 'image'
}

const SAFE = /^(?:https?:\/\/|mailto:)[^\s<>"\\]+$/i
const BARE = /^https?:\/\/[^\s<>"'`|\\]*[^\s<>"'`|\\.,;:!?)\]}*_]/i
const MAX_URL_LENGTH = 2_000

export function safeUrl(url: string): string | null {
  return url.length <= MAX_URL_LENGTH && SAFE.test(url) ? url : null
}

export function inlineOf(lines: readonly Line[]): Inline[] {
  const parser = new InlineParser()
  lines.forEach((line, index) => parser.line(line, index === lines.length - 1))
  return parser.finish()
}

class InlineParser {
  private out: Inline[] = []
  private openings: Opening[] = []

  line(line: Line, last: boolean): void {
    const hard = /(?: {2,}|\\)$/.test(line.text)
    const text = last ? line.text.trimEnd() : line.text.replace(hard && line.text.endsWith('\\') ? /\\$/ : /\s+$/, '')
    const lead = text.length - text.trimStart().length
    this.parseText(text, lead, line.at)
    if (last) return
    if (hard) this.out.push({ type: 'break' })
    else this.text('\n', line.at + line.text.length)
  }

  finish(): Inline[] {
    return this.out
  }

  private parseText(text: string, from: number, base: number): void {
    let index = from
    while (index < text.length) {
      const next = this.special(text, index, base)
      if (next !== null) {
        index = next
        continue
      }
      const ordinary = /[\\`*_~[\]!<h]/g
      ordinary.lastIndex = index + 1
      const end = ordinary.exec(text)?.index ?? text.length
      this.text(text.slice(index, end), base + index)
      index = end
    }
  }

  private special(text: string, index: number, base: number): number | null {
    switch (text[index]) {
      case '\\': {
        const escaped = text[index + 1]
        if (!escaped || !/[!-/:-@[-`{-~]/.test(escaped)) return null
        this.text(escaped, base + index + 1, true)
        return index + 2
      }
      case '`':
        return this.code(text, index, base)
      case '*':
      case '_':
      case '~':
        return this.emphasis(text, index, base)
      case '!':
        return text[index + 1] === '[' ? this.open('image', '![', index, base) : null
      case '[': {
        const note = /^\[\^([^\]\s]{1,60})\]/.exec(text.slice(index, index + 64))
        if (!note) return this.open('bracket', '[', index, base)
        this.out.push({ type: 'reference', name: note[1]! })
        return index + note[0].length
      }
      case ']':
        return this.link(text, index, base)
      case '<':
        return this.angle(text, index, base)
      case 'h':
        return this.bare(text, index, base)
      default:
        return null
    }
  }

  private text(text: string, at: number, alone = false): void {
    const last = this.out[this.out.length - 1]
    const opened = this.openings[this.openings.length - 1]?.index === this.out.length - 1
    if (!alone && !opened && last?.type === 'text' && last.at + last.text.length === at) last.text += text
    else this.out.push({ type: 'text', text, at })
  }

  private open(kind: Opening['kind'], sign: string, index: number, base: number): number {
    this.openings.push({ kind, index: this.out.length })
    this.out.push({ type: 'text', text: sign, at: base + index })
    return index + sign.length
  }

  private code(text: string, index: number, base: number): number | null {
    let width = 1
    while (text[index + width] === '`') width += 1
    const fence = '`'.repeat(width)
    const pattern = new RegExp(`(?<!\`)${fence}(?!\`)`, 'g')
    pattern.lastIndex = index + fence.length
    const end = pattern.exec(text)?.index
    if (end === undefined) {
      this.text(fence, base + index)
      return index + fence.length
    }
    const inner = text.slice(index + fence.length, end)
    const padded = inner.length > 2 && inner.startsWith(' ') && inner.endsWith(' ')
    const start = index + fence.length + (padded ? 1 : 0)
    this.out.push({ type: 'code', text: padded ? inner.slice(1, -1) : inner, at: base + start })
    return end + fence.length
  }

  private emphasis(text: string, index: number, base: number): number | null {
    const sign = text[index]!
    const double = text[index + 1] === sign
    if (sign === '~' && !double) return null
    const marker = double ? sign + sign : sign
    const kind = sign === '~' ? 'struck' : double ? 'strong' : 'emphasis'
    const before = text[index - 1] ?? ' '
    const after = text[index + marker.length] ?? ' '
    const opens = !/\s/.test(after) && (sign !== '_' || !/[\p{L}\p{N}]/u.test(before))
    const closes = !/\s/.test(before) && (sign !== '_' || !/[\p{L}\p{N}]/u.test(after))
    if (closes && this.close(kind)) return index + marker.length
    if (opens) return this.open(kind, marker, index, base)
    this.text(marker, base + index)
    return index + marker.length
  }

  /** Wraps the output since the last opening marker of this kind; other markers inside it stay text. */
  private close(kind: 'strong' | 'emphasis' | 'struck'): boolean {
    let position = this.openings.length - 1
    // Search at most eight open markers back, which keeps the time linear.
    const limit = Math.max(0, position - 8)
    while (position >= limit && this.openings[position]?.kind !== kind) {
      if (this.openings[position]?.kind === 'bracket') return false
      position -= 1
    }
    const opening = position >= limit ? this.openings[position] : undefined
    if (!opening || opening.index + 1 >= this.out.length) return false
    const children = this.out.splice(opening.index).slice(1)
    this.openings.length = position
    this.out.push({ type: kind, children })
    return true
  }

  private link(text: string, index: number, base: number): number | null {
    let position = this.openings.length - 1
    const limit = Math.max(0, position - 8)
    while (position >= limit && !['bracket', 'image'].includes(this.openings[position]?.kind ?? '')) position -= 1
    const opening = position >= limit ? this.openings[position] : undefined
    if (!opening) return null
    const target = /^\]\(\s*(?:<([^<>]{0,2000})>|([^\s()]{0,2000}(?:\([^\s()]{0,200}\)[^\s()]{0,200})?))(?:\s+["'(][^"')]{0,300}["')])?\s*\)/.exec(
      text.slice(index, index + 2_600),
    )
    this.openings.length = position
    if (!target) {
      this.text(']', base + index)
      return index + 1
    }
    const children = this.out.splice(opening.index).slice(1)
    const url = safeUrl(target[1] ?? target[2] ?? '')
    if (opening.kind === 'image') this.out.push({ type: 'image', children })
    else if (url !== null) this.out.push({ type: 'link', url, children })
    else this.out.push(...children)
    return index + target[0].length
  }

  private angle(text: string, index: number, base: number): number | null {
    const rest = text.slice(index, index + MAX_URL_LENGTH)
    const line = /^<br\s*\/?>/i.exec(rest)
    if (line) {
      this.out.push({ type: 'break' })
      return index + line[0].length
    }
    const url = /^<((?:https?:\/\/|mailto:)[^\s<>"\\]+)>/i.exec(rest)
    if (!url) return null
    const child: Inline = { type: 'text', text: url[1]!, at: base + index + 1 }
    this.out.push({ type: 'link', url: url[1]!, children: [child] })
    return index + url[0].length
  }

  private bare(text: string, index: number, base: number): number | null {
    if (!text.startsWith('http', index) || /[\p{L}\p{N}]/u.test(text[index - 1] ?? ' ')) return null
    if (this.openings.some((opening) => opening.kind === 'bracket')) return null
    const url = BARE.exec(text.slice(index, index + MAX_URL_LENGTH))?.[0]
    if (!url || safeUrl(url) === null) return null
    this.out.push({ type: 'link', url, children: [{ type: 'text', text: url, at: base + index }] })
    return index + url.length
  }
}
