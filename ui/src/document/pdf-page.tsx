// One page of a PDF with a selectable text layer; drawn near the visible area, removed far from it.
import { memo, useEffect, useRef, useState } from 'react'
import type { Box } from '../api/anchor'
import { HighlightBox } from './highlight-box'
import type { Destination } from './pdf-outline'
import { linkLayer } from './pdf-links'
import { type PDFDocumentProxy, TextLayer } from './pdfjs'

interface Props {
  pdf: PDFDocumentProxy
  number: number
  /** Width divided by height of the first page: the estimate until this page is loaded. */
  estimatedRatio: number
  box: Box | null
  name: string
  onDestination: (destination: Destination) => void
}

export const PdfPage = memo(function PdfPage({ pdf, number, estimatedRatio, box, name, onDestination }: Props) {
  const frame = useRef<HTMLDivElement>(null)
  const [near, setNear] = useState(false)
  const [ratio, setRatio] = useState(estimatedRatio)

  useEffect(() => {
    const element = frame.current!
    const observer = new IntersectionObserver(([entry]) => setNear(entry!.isIntersecting), {
      root: element.closest('.pdf-pages'),
      rootMargin: '120% 0px',
    })
    observer.observe(element)
    return () => observer.disconnect()
  }, [])

  useEffect(() => {
    if (!near) return
    const element = frame.current!
    const renderer = new PageRenderer(pdf, number, element, setRatio, onDestination)
    const resizeObserver = new ResizeObserver(() => renderer.fit(element.clientWidth))
    resizeObserver.observe(element)
    return () => {
      resizeObserver.disconnect()
      renderer.end()
    }
  }, [near, pdf, number, onDestination])

  return (
    <div ref={frame} className="pdf-page" data-page={number} style={{ aspectRatio: ratio }} role="group" aria-label={`Page ${number} of ${name}`}>
      {box && <HighlightBox box={box} />}
    </div>
  )
})

/** Draws a page into its frame at the current width of the frame. */
class PageRenderer {
  private ended = false
  private width = 0
  private stop: (() => void) | null = null
  private shown: HTMLElement[] = []

  constructor(
    private readonly pdf: PDFDocumentProxy,
    private readonly number: number,
    private readonly frame: HTMLElement,
    private readonly onRatio: (ratio: number) => void,
    private readonly onDestination: (destination: Destination) => void,
  ) {}

  fit(width: number): void {
    if (width === this.width || width === 0) return
    this.width = width
    this.stop?.()
    void this.draw(width).catch((error: unknown) => {
      if (!this.ended && (error as { name?: string }).name !== 'RenderingCancelledException') this.frame.dataset['failed'] = 'yes'
    })
  }

  end(): void {
    this.ended = true
    this.stop?.()
    for (const element of this.shown) element.remove()
  }

  private async draw(width: number): Promise<void> {
    const page = await this.pdf.getPage(this.number)
    if (this.ended || width !== this.width) return
    const natural = page.getViewport({ scale: 1 })
    this.onRatio(natural.width / natural.height)
    const viewport = page.getViewport({ scale: width / natural.width })
    // More than two device pixels per CSS pixel costs memory without a visible difference.
    const density = Math.min(window.devicePixelRatio || 1, 2)
    const canvas = document.createElement('canvas')
    canvas.width = Math.floor(viewport.width * density)
    canvas.height = Math.floor(viewport.height * density)
    canvas.setAttribute('aria-hidden', 'true')
    const rendering = page.render({ canvas, viewport, transform: [density, 0, 0, density, 0, 0] })
    const text = document.createElement('div')
    text.className = 'text-layer'
    text.style.setProperty('--total-scale-factor', String(viewport.scale))
    const layer = new TextLayer({ textContentSource: page.streamTextContent(), container: text, viewport })
    this.stop = () => {
      rendering.cancel()
      layer.cancel()
    }
    await rendering.promise
    if (this.ended || width !== this.width) return
    const previous = this.shown
    const links = await linkLayer(page, viewport, this.onDestination)
    if (this.ended || width !== this.width) return
    this.shown = [canvas, text, links]
    this.frame.prepend(canvas, text, links)
    for (const element of previous) element.remove()
    this.frame.dataset['drawn'] = 'yes'
    await layer.render()
  }
}
