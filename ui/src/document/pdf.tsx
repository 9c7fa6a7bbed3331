// The PDF viewer: all pages in one column, scrolled to the linked chunk, which is boxed.
import { useEffect, useMemo, useRef, useState } from 'react'
import type { Box } from '../api/anchor'
import { originalUrl } from '../api/original'
import { Icon } from '../parts/icon'
import { Loading, Notice } from '../parts/notices'
import { PdfPage } from './pdf-page'
import { openPdf, type PDFDocumentProxy } from './pdfjs'

export interface Target {
  page: number | null
  box: Box | null
}

interface Opened {
  pdf: PDFDocumentProxy
  ratio: number
}

const ZOOMS = [1, 1.25, 1.5, 2, 3]

export default function PdfView({ id, name, target }: { id: string; name: string; target: Target }) {
  const [opened, error] = useOpenedPdf(id)
  if (error) {
    return (
      <div className="pane-pad">
        <Notice tone="bad">
          <p>{error}</p>
        </Notice>
      </div>
    )
  }
  if (!opened) return <Loading what="Loading the PDF" />
  return <Pages {...opened} name={name} target={target} />
}

function useOpenedPdf(id: string): [Opened | null, string | null] {
  const [opened, setOpened] = useState<Opened | null>(null)
  const [error, setError] = useState<string | null>(null)
  useEffect(() => {
    let unmounted = false
    const loading = openPdf(originalUrl(id))
    // pdf.js waits for the password of a protected PDF without an error.
    loading.onPassword = () => {
      if (!unmounted) setError('This PDF is password-protected and cannot be displayed.')
    }
    loading.promise
      .then(async (pdf) => {
        const first = (await pdf.getPage(1)).getViewport({ scale: 1 })
        if (!unmounted) setOpened({ pdf, ratio: first.width / first.height })
      })
      .catch((reason: Error) => {
        if (!unmounted) setError(`This PDF cannot be displayed: ${reason.message}`)
      })
    return () => {
      unmounted = true
      void loading.destroy()
    }
  }, [id])
  return [opened, error]
}

function Pages({ pdf, ratio, name, target }: Opened & { name: string; target: Target }) {
  const scroller = useRef<HTMLDivElement>(null)
  const [zoom, setZoom] = useState(1)
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

  const onScroll = () => setCurrent(visiblePage(scroller.current) ?? current)
  const changeZoom = (by: number) => setZoom(ZOOMS[Math.max(0, Math.min(ZOOMS.length - 1, ZOOMS.indexOf(zoom) + by))]!)
  return (
    <div className="pdf">
      <div className="pdf-bar">
        <label>
          <span>Page </span>
          <input
            type="number"
            aria-label="Page"
            min={1}
            max={pdf.numPages}
            value={current}
            onChange={(event) => {
              const page = event.target.valueAsNumber
              if (page >= 1 && page <= pdf.numPages) show(page, null)
            }}
          />
        </label>
        <span className="quiet">of {pdf.numPages.toLocaleString('en')}</span>
        <span className="pdf-zoom">
          <button type="button" className="button plain icon-only" aria-label="Zoom out" disabled={zoom === 1} onClick={() => changeZoom(-1)}>
            −
          </button>
          <span className="quiet">{Math.round(zoom * 100)} %</span>
          <button
            type="button"
            className="button plain icon-only"
            aria-label="Zoom in"
            disabled={zoom === ZOOMS[ZOOMS.length - 1]}
            onClick={() => changeZoom(1)}
          >
            +
          </button>
        </span>
        {target.page !== null && (
          <button type="button" className="button plain" onClick={() => show(target.page!, target.box)}>
            <Icon name="link" />
            Go to chunk
          </button>
        )}
      </div>
      <div className="pdf-pages" ref={scroller} onScroll={onScroll} tabIndex={0} role="region" aria-label={`Pages of ${name}`}>
        <div style={{ width: `${zoom * 100}%` }}>
          {numbers.map((number) => (
            <PdfPage
              key={number}
              pdf={pdf}
              number={number}
              estimatedRatio={ratio}
              name={name}
              box={number === target.page ? target.box : null}
            />
          ))}
        </div>
      </div>
    </div>
  )
}

function scrollToPage(scroller: HTMLElement | null, page: number, box: Box | null): void {
  const element = scroller?.querySelector<HTMLElement>(`[data-page="${page}"]`)
  if (!scroller || !element) return
  const top = element.offsetTop - scroller.offsetTop
  // The top of the box is placed one third down the visible area.
  scroller.scrollTop = box ? top + box.y0 * element.clientHeight - scroller.clientHeight / 3 : top - 8
}

function visiblePage(scroller: HTMLElement | null): number | null {
  if (!scroller) return null
  const middle = scroller.scrollTop + scroller.clientHeight / 3
  const pages = scroller.firstElementChild?.children ?? []
  // Binary search: the pages are in order.
  let [low, high] = [0, pages.length - 1]
  while (low < high) {
    const half = (low + high + 1) >> 1
    if ((pages[half] as HTMLElement).offsetTop - scroller.offsetTop <= middle) low = half
    else high = half - 1
  }
  return pages.length ? low + 1 : null
}
