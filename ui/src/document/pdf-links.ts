// The links of a PDF page: to web addresses, and to other pages of the document.
import { safeUrl } from '../markdown/inline'
import type { Destination } from './pdf-outline'
import type { PDFPageProxy } from './pdfjs'

type Viewport = ReturnType<PDFPageProxy['getViewport']>

interface LinkAnnotation {
  subtype: string
  rect: [number, number, number, number]
  url?: string
  dest?: Destination
}

export async function linkLayer(
  page: PDFPageProxy,
  viewport: Viewport,
  onDestination: (destination: Destination) => void,
): Promise<HTMLElement> {
  const layer = document.createElement('div')
  layer.className = 'link-layer'
  const annotations = (await page.getAnnotations({ intent: 'display' }).catch(() => [])) as LinkAnnotation[]
  for (const { subtype, rect, url, dest } of annotations) {
    if (subtype !== 'Link') continue
    const address = url ? safeUrl(url) : null
    if (address === null && !dest) continue
    const link = address === null ? innerLink(dest!, onDestination) : outerLink(address)
    const [x0, y0, x1, y1] = viewport.convertToViewportRectangle(rect) as [number, number, number, number]
    const share = (value: number, of: number) => `${((value / of) * 100).toFixed(3)}%`
    link.style.left = share(Math.min(x0, x1), viewport.width)
    link.style.top = share(Math.min(y0, y1), viewport.height)
    link.style.width = share(Math.abs(x1 - x0), viewport.width)
    link.style.height = share(Math.abs(y1 - y0), viewport.height)
    layer.append(link)
  }
  return layer
}

function outerLink(address: string): HTMLElement {
  const link = document.createElement('a')
  link.href = address
  link.target = '_blank'
  link.rel = 'noopener noreferrer nofollow'
  link.title = address
  link.setAttribute('aria-label', address)
  return link
}

function innerLink(destination: Destination, onDestination: (destination: Destination) => void): HTMLElement {
  const link = document.createElement('button')
  link.type = 'button'
  link.setAttribute('aria-label', 'Link to another page of this document')
  link.addEventListener('click', () => onDestination(destination))
  return link
}
