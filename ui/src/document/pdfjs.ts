// pdf.js, set up so that a PDF can draw and nothing else: no scripts, no forms, no eval, no WebAssembly.
import { getDocument, GlobalWorkerOptions, type PDFDocumentProxy, type PDFPageProxy, TextLayer } from 'pdfjs-dist/legacy/build/pdf.mjs'
import worker from 'pdfjs-dist/legacy/build/pdf.worker.min.mjs?url'
import { authorization } from '../api/key'

export type { PDFDocumentProxy, PDFPageProxy }
export { TextLayer }

GlobalWorkerOptions.workerSrc = worker

/** A page's worth of bytes at a time: the first page of a large scan should not wait for the last. */
const RANGE = 1 << 18

export function openPdf(address: string) {
  const resource = (folder: string) => new URL(`./pdf/${folder}/`, document.baseURI).href
  return getDocument({
    url: new URL(address, document.baseURI).href,
    httpHeaders: authorization(),
    rangeChunkSize: RANGE,
    disableAutoFetch: true,
    cMapUrl: resource('cmaps'),
    standardFontDataUrl: resource('standard_fonts'),
    iccUrl: resource('iccs'),
    wasmUrl: resource('wasm'),
    useWasm: false,
    isEvalSupported: false,
    enableXfa: false,
    stopAtErrors: false,
    // What a file does wrong is no news for the console.
    verbosity: 0,
  })
}
