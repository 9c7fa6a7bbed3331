// Pages, slides, sheets and chapters of a document: their spans of the text, and how they are called.
import { queryOptions, useQuery } from '@tanstack/react-query'
import { api, unwrap, type View } from '../api/client'
import { toUtf16 } from '../markdown/source'

export type Unit = View<'PagesView'>['unit']
export type Page = View<'PageView'>

export const pagesQuery = (id: string) =>
  queryOptions({
    queryKey: ['pages', id],
    queryFn: ({ signal }) => unwrap(api.GET('/documents/{document_id}/pages', { params: { path: { document_id: id } }, signal })),
    staleTime: Infinity,
  })

/** What the pages of a document are; pages until it is known. */
export function useUnit(id: string): Unit {
  return useQuery(pagesQuery(id)).data?.unit ?? 'page'
}

/** The pages with spans in UTF-16 code units of the text. */
export function spansOf(markdown: string, pages: readonly Page[]): Page[] {
  const starts = toUtf16(markdown, pages.map(({ start }) => start))
  return pages.map((page, index) => ({ ...page, start: starts[index]!, end: starts[index + 1] ?? markdown.length }))
}

/** The page of a position in the text; null for a document without pages. */
export function pageAt(pages: readonly Page[], at: number): Page | null {
  let [low, high] = [0, pages.length - 1]
  if (high < 0) return null
  while (low < high) {
    const half = (low + high + 1) >> 1
    if (pages[half]!.start <= at) low = half
    else high = half - 1
  }
  return pages[low]!
}

/** How far down its page a position in the text is, from 0 to 1. */
export function shareOfPage({ start, end }: Page, at: number): number {
  return end > start ? Math.min(1, Math.max(0, (at - start) / (end - start))) : 0
}

/** `page 98`, `slide 3`, `sheet Rents`; null for a chapter, which the headings name. */
export function pageText(page: number | null, unit: Unit = 'page', label: string | null = null): string | null {
  if (page === null || unit === 'chapter') return null
  if (unit === 'minute') return label ?? `minute ${page}`
  if (unit === 'slide') return `slide ${page}`
  return `${unit} ${label ?? page}`
}

/** The same in a citation: `p. 98`. */
export function citedPage(page: Page | null, unit: Unit): string | null {
  if (page === null) return null
  if (unit === 'chapter') return page.label
  return unit === 'page' ? `p. ${page.label ?? page.number}` : pageText(page.number, unit, page.label)
}
