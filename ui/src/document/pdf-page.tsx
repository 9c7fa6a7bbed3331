// One page of a PDF: drawn when it comes near, forgotten when it has gone far, with its text to select.
import { memo, useEffect, useRef, useState } from 'react'
import type { Box } from '../api/anchor'
import { BoxMark } from './box'
import { type PDFDocumentProxy, TextLayer } from './pdfjs'

interface Props {
  pdf: PDFDocumentProxy
  number: number
  /** Width by height of the first page: a good guess until this one is known. */
  guess: number
  box: Box | null
  name: string
}

export const PdfPage = memo(function PdfPage({ pdf, number, guess, box, name }: Props) {
  const frame = useRef<HTMLDivElement>(null)
  const [near, setNear] = useState(false)
  const [ratio, setRatio] = useState(guess)

  useEffect(() => {
    const element = frame.current!
    const watcher = new IntersectionObserver(([entry]) => setNear(entry!.isIntersecting), {
      root: element.closest('.pdf-pages'),
      rootMargin: '120% 0px',
    })
    watcher.observe(element)
    return () => watcher.disconnect()
  }, [])

  useEffect(() => {
    if (!near) return
    const element = frame.current!
    const drawing = new Drawing(pdf, number, element, setRatio)
    const resized = new ResizeObserver(() => drawing.fit(element.clientWidth))
    resized.observe(element)
    return () => {
      resized.disconnect()
      drawing.end()
    }
  }, [near, pdf, number])

  return (
    <div ref={frame} className="pdf-page" data-page={number} style={{ aspectRatio: ratio }} role="group" aria-label={`Page ${number} of ${name}`}>
      {box && <BoxMark box={box} />}
    </div>
  )
})

/** Draws a page into its frame at whatever width the frame has now. */
class Drawing {
  private ended = false
  private width = 0
  private stop: (() => void) | null = null
  private shown: HTMLElement[] = []

  constructor(
    private readonly pdf: PDFDocumentProxy,
    private readonly number: number,
    private readonly frame: HTMLElement,
    private readonly onRatio: (ratio: number) => void,
  ) {}

  fit(width: number): void {
    if (width === this.width || width === 0) return
    this.width = width
    this.stop?.()
    void this.draw(width).catch((error: unknown) => {
      if (!this.ended && (error as { name?: string }).name !== 'RenderingCancelledException') this.frame.dataset['broken'] = 'yes'
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
    // Beyond twice the pixels nobody sees a difference, but memory does.
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
    const before = this.shown
    this.shown = [canvas, text]
    this.frame.prepend(canvas, text)
    for (const element of before) element.remove()
    this.frame.dataset['drawn'] = 'yes'
    await layer.render()
  }
}
