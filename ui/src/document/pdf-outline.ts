// Bookmarks of a PDF, and the pages that bookmarks and links lead to.
import type { Bookmark } from '../reading/outline'
import type { PDFDocumentProxy } from './pdfjs'

/** The name of a destination, or the destination itself: a page and a position. */
export type Destination = string | unknown[]

const MAX_BOOKMARKS = 5_000

type OutlineNode = Awaited<ReturnType<PDFDocumentProxy['getOutline']>>[number]

export async function bookmarksOf(pdf: PDFDocumentProxy): Promise<Bookmark[]> {
  const nodes: [OutlineNode, number][] = []
  const collect = (children: readonly OutlineNode[], level: number) => {
    for (const node of children) {
      if (nodes.length >= MAX_BOOKMARKS) return
      nodes.push([node, level])
      collect(node.items, level + 1)
    }
  }
  try {
    collect((await pdf.getOutline()) ?? [], 1)
    const bookmarks = await Promise.all(
      nodes.map(async ([{ title, dest }, level]) => ({ title: title.trim(), level, page: dest && (await pageOfDestination(pdf, dest)) })),
    )
    return bookmarks.filter((bookmark): bookmark is Bookmark => bookmark.page !== null && bookmark.title !== '')
  } catch {
    // A damaged outline is no reason to show no pages.
    return []
  }
}

/** The number of the page; null if the destination is not in the document. */
export async function pageOfDestination(pdf: PDFDocumentProxy, destination: Destination): Promise<number | null> {
  try {
    const resolved = typeof destination === 'string' ? await pdf.getDestination(destination) : destination
    const page = resolved?.[0]
    if (typeof page === 'number') return page + 1
    if (typeof page !== 'object' || page === null) return null
    return (await pdf.getPageIndex(page as Parameters<PDFDocumentProxy['getPageIndex']>[0])) + 1
  } catch {
    return null
  }
}
