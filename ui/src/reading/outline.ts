// The outline of a document: bookmarks of a PDF, slides, sheets, chapters of a book, or headings.
import type { Block } from '../markdown/blocks'
import { plainText } from './find'
import { type Page, pageAt, type Unit } from './pages'

export interface OutlineEntry {
  title: string
  /** From 1. */
  level: number
  /** The offset in the text. */
  at: number
  page: number | null
}

/** A bookmark of a PDF with its page. */
export interface Bookmark {
  title: string
  level: number
  page: number
}

interface Source {
  blocks: readonly Block[]
  pages: readonly Page[]
  unit: Unit
  bookmarks: readonly Bookmark[]
}

export function outlineOf({ blocks, pages, unit, bookmarks }: Source): OutlineEntry[] {
  const headings = headingsOf(blocks, pages)
  if (bookmarks.length) return fromBookmarks(bookmarks, headings, pages)
  if (unit === 'slide' || unit === 'sheet') {
    return pages.map(({ number, label, start }) => ({ title: label ?? `${unit} ${number}`, level: 1, at: start, page: number }))
  }
  return unit === 'chapter' ? withChapters(headings, pages) : headings
}

/** The last entry that begins at or before a position; -1 before the first one. */
export function entryAt(entries: readonly OutlineEntry[], at: number): number {
  return entries.findLastIndex((entry) => entry.at <= at)
}

/** The titles above a position, outermost first. */
export function headingPath(headings: readonly OutlineEntry[], at: number): string[] {
  const path: string[] = []
  let level = Infinity
  for (let index = entryAt(headings, at); index >= 0; index -= 1) {
    const heading = headings[index]!
    if (heading.level >= level) continue
    path.unshift(heading.title)
    level = heading.level
  }
  return path
}

export function headingsOf(blocks: readonly Block[], pages: readonly Page[]): OutlineEntry[] {
  return blocks.flatMap((block) => {
    if (block.type !== 'heading') return []
    const title = plainText(block)
    return title ? [{ title, level: block.level, at: block.at, page: pageAt(pages, block.at)?.number ?? null }] : []
  })
}

/** Each bookmark at the heading of its page with its title, else at the start of its page. */
function fromBookmarks(bookmarks: readonly Bookmark[], headings: readonly OutlineEntry[], pages: readonly Page[]): OutlineEntry[] {
  const starts = new Map(pages.map(({ number, start }) => [number, start]))
  return bookmarks.map(({ title, level, page }) => {
    const heading = headings.find((entry) => entry.page === page && sameTitle(entry.title, title))
    return { title, level, page, at: heading?.at ?? starts.get(page) ?? 0 }
  })
}

/** The chapters of a book, with the headings inside them one level deeper. */
function withChapters(headings: readonly OutlineEntry[], pages: readonly Page[]): OutlineEntry[] {
  const chapters = pages.filter(({ label }, index) => label && label !== pages[index - 1]?.label)
  if (chapters.length < 2) return [...headings]
  const entries = chapters.map(({ label, start, number }) => ({ title: label!, level: 1, at: start, page: number }))
  const inside = headings.filter(({ title, at }) => !entries.some((chapter) => sameTitle(chapter.title, title) && Math.abs(chapter.at - at) < 500))
  return [...entries, ...inside.map((heading) => ({ ...heading, level: heading.level + 1 }))].sort((a, b) => a.at - b.at || a.level - b.level)
}

function sameTitle(one: string, other: string): boolean {
  const [a, b] = [letters(one), letters(other)]
  return a !== '' && b !== '' && (a.endsWith(b) || b.endsWith(a))
}

const letters = (text: string) => text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '')
