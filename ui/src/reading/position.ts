// The place that is being read. The text and the original tell it here, and one follows the other.
import { createStore } from '../parts/store'
import { type Page, pageAt, shareOfPage } from './pages'

export type Pane = 'text' | 'original'

export class ReadingPosition {
  /** The offset in the text at the reading line; null before the text is drawn. */
  readonly at = createStore<number | null>(null)
  /** Whether text and original move together. */
  readonly together = createStore(true)
  /** Pages with spans in UTF-16 code units. */
  pages: readonly Page[] = []
  showOffset: ((at: number) => void) | null = null
  private showPage: ((page: number, share: number) => void) | null = null
  /** The place that the original shows as soon as it is loaded. */
  private awaited: number | null = null
  /** The pane that a person uses; only its movements move the other one. */
  leader: Pane | null = null

  /** The original is loaded, often after the text has gone to its place; null when it is gone. */
  setOriginal(showPage: ((page: number, share: number) => void) | null): void {
    this.showPage = showPage
    if (showPage && this.awaited !== null) this.followText(this.awaited)
  }

  textMoved(at: number): void {
    this.at.set(at)
    if (this.leader === 'text' && this.together.get()) this.followText(at)
  }

  originalMoved(page: number, share: number): void {
    if (this.leader !== 'original' || !this.together.get()) return
    const span = this.pages.find(({ number }) => number === page)
    if (span) this.showOffset?.(span.start + share * (span.end - span.start))
  }

  /** Shows a place in both panes, as from the outline. */
  goTo(at: number): void {
    this.leader = null
    this.showOffset?.(at)
    this.followText(at)
  }

  private followText(at: number): void {
    this.awaited = this.showPage ? null : at
    const page = pageAt(this.pages, at)
    if (page) this.showPage?.(page.number, shareOfPage(page, at))
  }
}
