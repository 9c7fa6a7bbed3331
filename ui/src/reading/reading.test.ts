import { describe, expect, test } from 'vitest'
import { parse } from '../markdown/blocks'
import { toCodePoints, toUtf16 } from '../markdown/source'
import { blockText, findMatches, firstMatchFrom } from './find'
import { entryAt, headingPath, headingsOf, outlineOf } from './outline'
import { type Page, pageAt, pageText, shareOfPage, spansOf } from './pages'
import { citation, locate } from './passage'
import { ReadingPosition } from './position'

const page = (number: number, start: number, end: number, label: string | null = null): Page => ({ number, start, end, label })

describe('find in document', () => {
  const found = (markdown: string, query: string) =>
    findMatches(parse(markdown).map(blockText), query).map(({ start, end }) => markdown.slice(start, end))

  test('words are found across emphasis, line breaks and case, in their place in the markdown', () => {
    expect(found('The **Upper** lock\nkeeper', 'upper lock keeper')).toEqual(['Upper** lock\nkeeper'])
    expect(found('# Locks\n\n- a lock\n- LOCK', 'lock')).toEqual(['Lock', 'lock', 'LOCK'])
    expect(found('The keeper’s house', "keeper's")).toEqual(['keeper’s'])
    expect(found('```\nlock open\n```', 'lock  open')).toEqual(['lock open'])
  })

  test('cells of a table are no phrase', () => {
    expect(found('| a | b |\n|---|---|\n| one | two |', 'one two')).toEqual([])
    expect(found('| a | b |\n|---|---|\n| one | two |', 'two')).toEqual(['two'])
  })

  test('nothing is found by an empty query, and the search begins at the reading position', () => {
    expect(found('text', '  ')).toEqual([])
    expect(firstMatchFrom([{ start: 1, end: 2 }, { start: 9, end: 10 }], 5)).toBe(1)
    expect(firstMatchFrom([{ start: 1, end: 2 }], 5)).toBe(0)
  })
})

describe('outline', () => {
  const text = '# Book\n\nfirst\n\n## Locks\n\nsecond\n\n## Weirs\n\nthird'
  const blocks = parse(text)

  test('headings, and the path above a position', () => {
    const outline = outlineOf({ blocks, pages: [], unit: 'page', bookmarks: [] })
    expect(outline.map(({ title, level }) => [title, level])).toEqual([['Book', 1], ['Locks', 2], ['Weirs', 2]])
    expect(headingPath(outline, text.indexOf('third'))).toEqual(['Book', 'Weirs'])
    expect(entryAt(outline, text.indexOf('second'))).toBe(1)
    expect(headingPath([], 5)).toEqual([])
  })

  test('a bookmark of a PDF leads to the heading of its page', () => {
    const pages = [page(1, 0, 14), page(2, 14, 40)]
    const bookmarks = [
      { title: '1. Locks', level: 1, page: 2 },
      { title: 'Index', level: 1, page: 2 },
    ]
    const outline = outlineOf({ blocks, pages, unit: 'page', bookmarks })
    expect(outline.map(({ at }) => at)).toEqual([text.indexOf('## Locks'), 14])
  })

  test('sheets and slides by name, chapters with the headings inside them', () => {
    const pages = [page(1, 0, 14, 'One'), page(2, 14, 20, 'Two'), page(3, 20, 40, 'Two')]
    expect(outlineOf({ blocks, pages, unit: 'sheet', bookmarks: [] }).map(({ title }) => title)).toEqual(['One', 'Two', 'Two'])
    const chapters = outlineOf({ blocks, pages, unit: 'chapter', bookmarks: [] })
    expect(chapters.map(({ title, level }) => `${level} ${title}`)).toEqual(['1 One', '2 Book', '1 Two', '3 Locks', '3 Weirs'])
    expect(headingsOf(blocks, pages)[2]!.page).toBe(3)
  })
})

describe('pages', () => {
  test('a position belongs to the page that started last', () => {
    const pages = [page(1, 0, 10, 'iv'), page(2, 10, 30, '1')]
    expect(pageAt(pages, 12)?.label).toBe('1')
    expect(pageAt([], 12)).toBe(null)
    expect(shareOfPage(pages[1]!, 20)).toBe(0.5)
  })

  test('only pages are called pages', () => {
    expect(pageText(98)).toBe('page 98')
    expect(pageText(98, 'page', 'xii')).toBe('page xii')
    expect(pageText(3, 'slide', 'The plan')).toBe('slide 3')
    expect(pageText(2, 'sheet', 'Rents')).toBe('sheet Rents')
    expect(pageText(7, 'chapter', 'One')).toBe(null)
  })

  test('spans and links count characters as the server does', () => {
    const text = '😀 one'
    expect(spansOf(text, [page(1, 0, 2), page(2, 2, 5)]).map(({ start, end }) => [start, end])).toEqual([[0, 3], [3, 6]])
    expect(toCodePoints(text, toUtf16(text, [0, 2, 5]))).toEqual([0, 2, 5])
  })
})

describe('passages', () => {
  test('a citation has title, section and printed page', () => {
    expect(citation('Debian Policy', 'Conffiles', page(110, 0, 5, '98'), 'page')).toBe('Debian Policy, Conffiles, p. 98')
    expect(citation('Plan', null, page(3, 0, 5, 'Basin'), 'slide')).toBe('Plan, slide 3')
    expect(citation('Guide', 'One', page(3, 0, 5, 'One'), 'chapter')).toBe('Guide, One')
  })

  test('a linked passage is found again by its first words', () => {
    const span = { start: 0, end: 3 }
    expect(locate('one two', span, 'one')).toEqual(span)
    expect(locate('zero one two', span, 'one')).toEqual({ start: 5, end: 8 })
    expect(locate('other text', span, 'one')).toBe(null)
    expect(locate('other text', span, null)).toEqual(span)
  })
})

test('an original that is loaded after the text shows the place of the text', () => {
  const position = new ReadingPosition()
  position.pages = [page(1, 0, 10), page(2, 10, 30)]
  position.goTo(20)
  const shown: number[][] = []
  position.setOriginal((number, share) => shown.push([number, share]))
  position.setOriginal((number, share) => shown.push([number, share]))
  expect(shown).toEqual([[2, 0.5]])
  position.leader = 'text'
  position.textMoved(0)
  expect(shown[1]).toEqual([1, 0])
})
