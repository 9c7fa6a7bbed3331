// pdf.js, restricted to drawing: no scripts, forms, eval or WebAssembly.
import { getDocument, GlobalWorkerOptions, PasswordResponses, type PDFDocumentProxy, type PDFPageProxy, TextLayer } from 'pdfjs-dist/legacy/build/pdf.mjs'
import worker from 'pdfjs-dist/legacy/build/pdf.worker.min.mjs?url'
import { authorization } from '../api/key'

export type { PDFDocumentProxy, PDFPageProxy }
export { PasswordResponses, TextLayer }

GlobalWorkerOptions.workerSrc = worker

/** Bytes per range request, so that the first page of a large scan is drawn before the file is complete. */
const RANGE_SIZE = 1 << 18

export function openPdf(url: string) {
  const resource = (folder: string) => new URL(`./pdf/${folder}/`, document.baseURI).href
  return getDocument({
    url: new URL(url, document.baseURI).href,
    httpHeaders: authorization(),
    rangeChunkSize: RANGE_SIZE,
    disableAutoFetch: true,
    cMapUrl: resource('cmaps'),
    standardFontDataUrl: resource('standard_fonts'),
    iccUrl: resource('iccs'),
    wasmUrl: resource('wasm'),
    useWasm: false,
    isEvalSupported: false,
    enableXfa: false,
    stopAtErrors: false,
    // Warnings about a malformed file do not go to the console.
    verbosity: 0,
  })
}
