// The position of a chunk or field in its document. The server sends only the parts that it knows.
import { pageText, type Unit } from '../reading/pages'

export interface Box {
  x0: number
  y0: number
  x1: number
  y1: number
}

export interface Anchor {
  /** A span of the markdown, in characters. */
  span: [number, number] | null
  headings: string[]
  page: number | null
  /** What the page is; the server names it unless it is a page. */
  unit: Unit
  box: Box | null
  speaker: string | null
  /** A span of the recording, in seconds. */
  seconds: [number, number] | null
}

export function anchorOf(raw: Record<string, unknown> | undefined): Anchor {
  const fields = raw ?? {}
  const [start, end] = [number(fields['start']), number(fields['end'])]
  const [from, to] = [number(fields['seconds_start']), number(fields['seconds_end'])]
  const headings = fields['heading_path']
  return {
    span: start !== null && end !== null && end > start ? [start, end] : null,
    headings: Array.isArray(headings) ? headings.filter((heading) => typeof heading === 'string') : [],
    page: number(fields['page']),
    unit: (typeof fields['unit'] === 'string' ? fields['unit'] : 'page') as Unit,
    box: boxOf(fields['box']),
    speaker: typeof fields['speaker'] === 'string' ? fields['speaker'] : null,
    seconds: from !== null ? [from, to ?? from] : null,
  }
}

function boxOf(raw: unknown): Box | null {
  if (typeof raw !== 'object' || raw === null) return null
  const fields = raw as Record<string, unknown>
  const [x0, y0, x1, y1] = [number(fields['x0']), number(fields['y0']), number(fields['x1']), number(fields['y1'])]
  if (x0 === null || y0 === null || x1 === null || y1 === null) return null
  return { x0, y0, x1, y1 }
}

function number(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null
}

/** The position as text: `page 3`, or the nearest heading. */
export function locationText(anchor: Anchor, unit: Unit = anchor.unit): string | null {
  const page = pageText(anchor.page, unit)
  if (page !== null) return page
  return anchor.headings.length ? anchor.headings[anchor.headings.length - 1]! : null
}
