// Where something stands in a document. The server sends only what it knows, so everything may be missing.

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
  box: Box | null
  speaker: string | null
  /** A span of the recording, in seconds. */
  seconds: [number, number] | null
}

export function anchorOf(raw: Record<string, unknown> | undefined): Anchor {
  const said = raw ?? {}
  const [start, end] = [number(said['start']), number(said['end'])]
  const [from, to] = [number(said['seconds_start']), number(said['seconds_end'])]
  const headings = said['heading_path']
  return {
    span: start !== null && end !== null && end > start ? [start, end] : null,
    headings: Array.isArray(headings) ? headings.filter((heading) => typeof heading === 'string') : [],
    page: number(said['page']),
    box: boxOf(said['box']),
    speaker: typeof said['speaker'] === 'string' ? said['speaker'] : null,
    seconds: from !== null ? [from, to ?? from] : null,
  }
}

function boxOf(raw: unknown): Box | null {
  if (typeof raw !== 'object' || raw === null) return null
  const said = raw as Record<string, unknown>
  const [x0, y0, x1, y1] = [number(said['x0']), number(said['y0']), number(said['x1']), number(said['y1'])]
  if (x0 === null || y0 === null || x1 === null || y1 === null) return null
  return { x0, y0, x1, y1 }
}

function number(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null
}

/** The place in words: `page 3`, `1:05, Anna`. */
export function whereabouts(anchor: Anchor): string | null {
  if (anchor.page !== null) return `page ${anchor.page}`
  return anchor.headings.length ? anchor.headings[anchor.headings.length - 1]! : null
}
