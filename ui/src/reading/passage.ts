// A passage of the text: its link, its citation, and its place after the document was processed again.
import { documentRoute, hrefTo } from '../route'
import { toCodePoints } from '../markdown/source'
import { citedPage, type Page, type Unit } from './pages'

/** The first characters of a passage are part of its link, so that it is found when the text before it has changed. */
const QUOTE_LENGTH = 60

export interface Span {
  start: number
  end: number
}

/** The address of a passage, for another browser. */
export function passageLink(id: string, markdown: string, { start, end }: Span, page: number | null): string {
  const span = toCodePoints(markdown, [start, end]) as [number, number]
  const quote = markdown.slice(start, Math.min(end, start + QUOTE_LENGTH)).trim()
  return new URL(hrefTo(documentRoute(id, { page, span, quote })), location.href).href
}

/** `Title, section, p. 98`. */
export function citation(title: string, section: string | null, page: Page | null, unit: Unit): string {
  const cited = citedPage(page, unit)
  const parts = [title, section === title ? null : section, cited === section ? null : cited]
  return parts.filter(Boolean).join(', ')
}

/** The span of a link whose text begins with `quote`: where it was, or where the quote is now; null if it is gone. */
export function locate(markdown: string, span: Span, quote: string | null): Span | null {
  if (!quote || markdown.startsWith(quote, span.start)) return span
  const length = span.end - span.start
  const [before, after] = [markdown.lastIndexOf(quote, span.start), markdown.indexOf(quote, span.start)]
  const start = nearest(span.start, before, after)
  return start < 0 ? null : { start, end: Math.min(markdown.length, start + length) }
}

function nearest(at: number, before: number, after: number): number {
  if (before < 0 || after < 0) return Math.max(before, after)
  return at - before <= after - at ? before : after
}
