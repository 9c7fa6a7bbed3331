// The PDF viewer: all pages in one column, scrolled to the linked chunk, which is boxed.
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import type { Box } from '../api/anchor'
import { originalUrl } from '../api/original'
import { Icon } from '../parts/icon'
import { Loading, Notice } from '../parts/notices'
import { useStore } from '../parts/store'
import type { Bookmark } from '../reading/outline'
import type { ReadingPosition } from '../reading/position'
import { READING_LINE } from '../reading/scroll'
import { PdfPage } from './pdf-page'
import { bookmarksOf, type Destination, pageOfDestination } from './pdf-outline'
import { PageBox } from './pdf-pages'
import { openPdf, PasswordResponses, type PDFDocumentProxy } from './pdfjs'
import { PasswordForm } from './password-form'
import { rememberPassword, usePassword } from './pdf-passwords'

export interface Target {
  page: number | null
  box: Box | null
}

interface Opened {
  pdf: PDFDocumentProxy
  ratio: number
  /** The printed numbers of the pages; null if the file has none. */
  labels: string[] | null
}

interface Props {
  id: string
  name: string
  target: Target
  position: ReadingPosition
  /** The header asks for the password of a locked PDF, so the viewer does not. */
  asksAbove: boolean
  onBookmarks: (bookmarks: Bookmark[]) => void
}

const ZOOMS = [0.5, 0.75, 1, 1.25, 1.5, 2, 3]

export default function PdfView({ id, name, target, position, asksAbove, onBookmarks }: Props) {
  const { opened, error, lock } = useOpenedPdf(id)
  const pdf = opened?.pdf
  useEffect(() => {
    let unmounted = false
    if (pdf) {
      void bookmarksOf(pdf).then((bookmarks) => {
        if (!unmounted) onBookmarks(bookmarks)
      })
    }
    return () => {
      unmounted = true
    }
  }, [pdf, onBookmarks])
  if (error) {
    return (
      <div className="pane-pad">
        <Notice tone="bad">
          <p>{error}</p>
        </Notice>
      </div>
    )
  }
  if (lock) return <Locked id={id} wrong={lock.wrong} asksAbove={asksAbove} />
  if (!opened) return <Loading what="Loading the PDF" />
  return <Pages {...opened} name={name} target={target} position={position} />
}

/** pdf.js waits for a password. */
interface Lock {
  /** Gives pdf.js the password. */
  open: (password: string) => void
  /** The last password did not open the file. */
  wrong: boolean
}

function useOpenedPdf(id: string): { opened: Opened | null; error: string | null; lock: Lock | null } {
  const [opened, setOpened] = useState<Opened | null>(null)
  const [error, setError] = useState<string | null>(null)
  const [lock, setLock] = useState<Lock | null>(null)
  const password = usePassword(id)
  useEffect(() => {
    let unmounted = false
    const loading = openPdf(originalUrl(id))
    loading.onPassword = (open: (password: string) => void, reason: number) => {
      if (!unmounted) setLock({ open, wrong: reason === PasswordResponses.INCORRECT_PASSWORD })
    }
    loading.promise
      .then(async (pdf) => {
        const first = (await pdf.getPage(1)).getViewport({ scale: 1 })
        const labels = await pdf.getPageLabels().catch(() => null)
        if (unmounted) return
        setLock(null)
        setOpened({ pdf, ratio: first.width / first.height, labels })
      })
      .catch((reason: Error) => {
        if (!unmounted) setError(`This PDF cannot be displayed: ${reason.message}`)
      })
    return () => {
      unmounted = true
      void loading.destroy()
    }
  }, [id])
  // The password is tried once: when it is entered, or when pdf.js asks for it the first time.
  const tried = useRef<string | undefined>(undefined)
  useEffect(() => {
    if (!lock || password === undefined || password === tried.current) return
    tried.current = password
    lock.open(password)
  }, [lock, password])
  return { opened, error, lock: lock && password !== undefined && !lock.wrong ? null : lock }
}

function Locked({ id, wrong, asksAbove }: { id: string; wrong: boolean; asksAbove: boolean }) {
  return (
    <div className="pane-pad">
      <Notice tone="waiting">
        <p>This PDF is password-protected.</p>
        {asksAbove ? (
          <p className="quiet">Enter the password above to process the file and to display its pages.</p>
        ) : (
          <PasswordForm
            action="Display the pages"
            error={wrong ? 'Wrong password. Enter another one.' : null}
            onSubmit={(password) => rememberPassword(id, password)}
          />
        )}
      </Notice>
    </div>
  )
}

function Pages({ pdf, ratio, labels, name, target, position }: Opened & Omit<Props, 'id' | 'asksAbove' | 'onBookmarks'>) {
  const scroller = useRef<HTMLDivElement>(null)
  const [zoom, setZoom] = useState(1)
  const together = useStore(position.together)
  const [current, setCurrent] = useState(target.page ?? 1)
  const numbers = useMemo(() => Array.from({ length: pdf.numPages }, (_, index) => index + 1), [pdf])
  const show = (page: number, box: Box | null) => scrollToPage(scroller.current, page, box)

  useEffect(() => {
    if (target.page === null) return
    show(target.page, target.box)
    // Scroll again: pages above may be taller than estimated once they are drawn.
    const timer = setTimeout(() => show(target.page!, target.box), 400)
    return () => clearTimeout(timer)
  }, [target.page, target.box])

  useEffect(() => {
    position.setOriginal((page, share) => scrollToPage(scroller.current, page, null, share))
    return () => position.setOriginal(null)
  }, [position])

  const onScroll = () => {
    const place = visiblePlace(scroller.current)
    if (!place) return
    setCurrent(place.page)
    position.originalMoved(place.page, place.share)
  }
  const openDestination = useCallback(
    (destination: Destination) => {
      void pageOfDestination(pdf, destination).then((page) => {
        if (page === null) return
        position.leader = 'original'
        scrollToPage(scroller.current, page, null)
      })
    },
    [pdf, position],
  )
  const changeZoom = (by: number) => setZoom(ZOOMS[Math.max(0, Math.min(ZOOMS.length - 1, ZOOMS.indexOf(zoom) + by))]!)
  return (
    <div className="pdf">
      <div className="pdf-bar">
        <PageBox current={current} total={pdf.numPages} labels={labels} onPage={(page) => show(page, null)} />
        <span className="pdf-zoom">
          <button type="button" className="button plain icon-only" aria-label="Zoom out" title="Zoom out" disabled={zoom === ZOOMS[0]} onClick={() => changeZoom(-1)}>
            −
          </button>
          <span className="quiet">{Math.round(zoom * 100)} %</span>
          <button
            type="button"
            className="button plain icon-only"
            aria-label="Zoom in"
            title="Zoom in"
            disabled={zoom === ZOOMS[ZOOMS.length - 1]}
            onClick={() => changeZoom(1)}
          >
            +
          </button>
        </span>
        <button
          type="button"
          className="button plain icon-only together"
          aria-label="Scroll together"
          title={together ? 'Pages and text scroll together' : 'Pages and text scroll separately'}
          aria-pressed={together}
          onClick={() => position.together.set(!together)}
        >
          <Icon name="together" />
        </button>
        {target.page !== null && (
          <button type="button" className="button plain" onClick={() => show(target.page!, target.box)}>
            <Icon name="link" />
            Go to chunk
          </button>
        )}
      </div>
      <div className="pdf-pages" ref={scroller} onScroll={onScroll} tabIndex={0} role="region" aria-label={`Pages of ${name}`}>
        <div style={{ width: `${zoom * 100}%`, marginInline: zoom < 1 ? 'auto' : undefined }}>
          {numbers.map((page) => (
            <PdfPage
              key={page}
              pdf={pdf}
              number={page}
              estimatedRatio={ratio}
              name={name}
              box={page === target.page ? target.box : null}
              onDestination={openDestination}
            />
          ))}
        </div>
      </div>
    </div>
  )
}

function scrollToPage(scroller: HTMLElement | null, page: number, box: Box | null, share: number | null = null): void {
  const element = scroller?.querySelector<HTMLElement>(`[data-page="${page}"]`)
  if (!scroller || !element) return
  const top = element.offsetTop - scroller.offsetTop
  if (share !== null) {
    scroller.scrollTop = top + share * element.clientHeight - scroller.clientHeight * READING_LINE
    return
  }
  // The top of the box is placed one third down the visible area.
  scroller.scrollTop = box ? top + box.y0 * element.clientHeight - scroller.clientHeight / 3 : top - 8
}

/** The page at the reading line, and how far down that page the line is. */
function visiblePlace(scroller: HTMLElement | null): { page: number; share: number } | null {
  if (!scroller) return null
  const middle = scroller.scrollTop + scroller.clientHeight * READING_LINE
  const pages = scroller.firstElementChild?.children ?? []
  // Binary search: the pages are in order.
  let [low, high] = [0, pages.length - 1]
  while (low < high) {
    const half = (low + high + 1) >> 1
    if ((pages[half] as HTMLElement).offsetTop - scroller.offsetTop <= middle) low = half
    else high = half - 1
  }
  const page = pages[low] as HTMLElement | undefined
  if (!page) return null
  const share = (middle - (page.offsetTop - scroller.offsetTop)) / page.clientHeight
  return { page: low + 1, share: Math.min(1, Math.max(0, share)) }
}
