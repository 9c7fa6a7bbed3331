// Offsets of the text and positions on the screen. Sections far away are not drawn; their blocks have no elements.

/** The reading line is this share of the visible height below its top. */
export const READING_LINE = 1 / 3

/** The element that scrolls: the pane, or the page on a phone. */
export function scrollerOf(article: HTMLElement): HTMLElement {
  const pane = article.closest<HTMLElement>('.pane-body')
  if (pane && getComputedStyle(pane).overflowY !== 'visible') return pane
  return article.closest<HTMLElement>('.main') ?? document.documentElement
}

function readingLine(scroller: HTMLElement): number {
  const { top, height } = scroller.getBoundingClientRect()
  const visibleTop = Math.max(0, top)
  return visibleTop + (Math.min(innerHeight, top + height) - visibleTop) * READING_LINE
}

/** The block of the text that contains an offset; null if its section is not drawn. */
export function blockAt(article: HTMLElement, at: number): HTMLElement | null {
  return lastAtOrBefore(article.querySelectorAll<HTMLElement>('.block'), at)
}

/** The offset at the reading line. */
export function offsetAtReadingLine(article: HTMLElement): number | null {
  const line = readingLine(scrollerOf(article))
  const section = [...article.querySelectorAll<HTMLElement>('.section')].findLast((item) => item.getBoundingClientRect().top <= line)
  const first = section ?? article.querySelector<HTMLElement>('.section')
  if (!first) return null
  const blocks = [...first.querySelectorAll<HTMLElement>('.block')]
  const block = blocks.findLast((item) => item.getBoundingClientRect().top <= line) ?? blocks[0] ?? first
  const { top, height } = block.getBoundingClientRect()
  const [start, end] = [Number(block.dataset['at']), Number(block.dataset['end'])]
  const share = height > 0 ? Math.min(1, Math.max(0, (line - top) / height)) : 0
  return Math.min(end - 1, Math.round(start + share * (end - start)))
}

/** Scrolls an offset to the reading line. */
export function scrollToOffset(article: HTMLElement, at: number): void {
  const block = blockAt(article, at)
  if (!block) return
  const scroller = scrollerOf(article)
  const { top, height } = block.getBoundingClientRect()
  const [start, end] = [Number(block.dataset['at']), Number(block.dataset['end'])]
  const share = end > start ? Math.min(1, (at - start) / (end - start)) : 0
  scroller.scrollTop += top + share * height - readingLine(scroller)
}

function lastAtOrBefore(elements: NodeListOf<HTMLElement>, at: number): HTMLElement | null {
  let [low, high] = [0, elements.length - 1]
  if (high < 0) return null
  while (low < high) {
    const half = (low + high + 1) >> 1
    if (Number(elements[half]!.dataset['at']) <= at) low = half
    else high = half - 1
  }
  return elements[low]!
}
