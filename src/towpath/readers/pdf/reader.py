"""Reads PDF files: text, pages, headings, tables, form fields; scans by OCR.

Order: liteparse reads the file, fallback passes re-read bad pages, running headers are removed, the outline
sets the headings, and the pages are written as markdown.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Literal

from towpath import rejections
from towpath.model.content import Extraction
from towpath.model.page_plan import PageBatch
from towpath.readers.ocr.batched_ocr import RecognizedBatch, RecognizerFactory
from towpath.readers.ocr.page_ocr import PageOcr
from towpath.readers.ocr.settings import OcrEngines, OcrSettings
from towpath.readers.ocr.state import OcrState
from towpath.readers.pdf import fallback_passes
from towpath.readers.pdf.embedded_invoice import embedded_invoice_fields
from towpath.readers.pdf.heading_styles import HeadingStyles, labels_as_text
from towpath.readers.pdf.line_end_hyphens import restore_hyphens
from towpath.readers.pdf.liteparse_engine import LiteparseEngine
from towpath.readers.pdf.metadata import read_metadata
from towpath.readers.pdf.open import OpenPdf, open_pdf
from towpath.readers.pdf.outline import apply_outline
from towpath.readers.pdf.page_model import Engine, EngineError, PdfPage
from towpath.readers.pdf.pdfium_engine import PdfiumEngine
from towpath.readers.pdf.render_markdown import render_pages
from towpath.readers.pdf.running_headers import remove_running_headers
from towpath.readers.pdf.tagged_headings import reliable_headings

MAX_PAGES = 20_000

Progress = Callable[[int, int], None]
EngineName = Literal["liteparse", "pdfium"]


def _ignore_progress(done: int, total: int) -> None:
    """Ignores progress."""


def read_pdf(
    path: Path,
    progress: Progress = _ignore_progress,
    *,
    ocr: OcrSettings,
    max_pages: int = MAX_PAGES,
    recognizer: RecognizerFactory = PageOcr,
) -> Extraction:
    """Read the file; files without readable text are rejected."""
    with open_pdf(path, max_pages) as pdf:
        return _read(pdf, ocr, PageProgress(progress, pdf.file.page_count), recognizer)


def recognize_pdf_pages(
    path: Path, progress: Progress, batch: PageBatch, engines: OcrEngines, state: OcrState
) -> RecognizedBatch:
    """Recognize the pages of one batch; ``state`` is that after the batch before."""
    page_ocr = PageOcr(engines, state)
    pages: list[PdfPage] = []
    with open_pdf(path, MAX_PAGES) as pdf:
        for page in page_ocr.read_groups(pdf.file, [(batch.dpi, batch.pages)]):
            pages.append(page)
            progress(len(pages), len(batch.pages))
    return RecognizedBatch(pages, page_ocr.state)


class PageProgress:
    """Counts finished pages and reports progress at most 20 times a second."""

    def __init__(self, progress: Progress, total: int) -> None:
        self._progress = progress
        self._total = total
        self._done = 0
        self._reported_at = 0.0

    def __call__(self) -> None:
        self._done += 1
        now = time.monotonic()
        if now - self._reported_at >= 0.05 or self._done == self._total:
            self._reported_at = now
            self._progress(self._done, self._total)


def _read(
    pdf: OpenPdf, ocr: OcrSettings, page_progress: PageProgress, recognizer: RecognizerFactory
) -> Extraction:
    page_count = pdf.file.page_count
    pdfium = PdfiumEngine(pdf.file)
    outline = pdf.file.outline()
    use_tags = not outline and pdf.file.is_tagged()
    liteparse = LiteparseEngine(pdf.path, page_count, form=pdf.file.has_form(), tags=use_tags)
    pages = _read_pages(liteparse, page_progress)
    fallback_passes.reread_rotated(pages, liteparse)
    fallback_passes.detect_scans(pages, liteparse, pdf.file, page_progress)
    all_by_pdfium = fallback_passes.reread_with_pdfium(pages, pdfium, page_count, page_progress)
    ocr_engines, warnings = fallback_passes.read_by_ocr(pages, pdf.file, ocr, page_progress, recognizer)
    if sorted(pages) != list(range(1, page_count + 1)):
        raise rejections.corrupt("PDF", f"only {len(pages)} of its {page_count} pages can be opened")
    ordered = [pages[number] for number in range(1, page_count + 1)]
    printed_title = _printed_title(ordered)
    restore_hyphens(ordered)
    remove_running_headers(ordered, outline)
    styles = HeadingStyles(ordered)
    bookmarks = outline or reliable_headings(ordered)
    if not apply_outline(ordered, bookmarks, printed_title.get("printed_title", ""), styles):
        labels_as_text(ordered, styles)
    markdown, spans, blocks, fields = render_pages(ordered)
    if not any(map(str.isalnum, markdown)):
        raise rejections.empty("PDF")
    return Extraction(
        markdown=markdown,
        engine=engine_name("pdfium" if all_by_pdfium else "liteparse", ocr_engines),
        pages=spans,
        blocks=blocks,
        fields=(*fields, *embedded_invoice_fields(pdf.file)),
        metadata=read_metadata(pdf.file.info(), pdf.path, page_count) | printed_title,
        warnings=(*pdf.warnings, *warnings),
        words=tuple(word for page in ordered for word in page.words),
    )


def _printed_title(pages: Sequence[PdfPage]) -> dict[str, str]:
    """The title on the first page with text, as an entry of the metadata."""
    first = next((page for page in pages if page.character_count), None)
    return {"printed_title": first.printed_title} if first and first.printed_title else {}


def _read_pages(engine: Engine, page_progress: PageProgress) -> fallback_passes.Pages:
    pages: fallback_passes.Pages = {}
    with suppress(EngineError):
        for page in engine.pages():
            pages[page.number] = page
            if page.ocr_reason is None and not page.may_need_ocr:
                page_progress()
    return pages


def engine_name(engine: EngineName, ocr_engines: Sequence[str] = ()) -> str:
    """Name and version of the engine, for the extraction's ``engine`` field."""
    name = f"{engine} {_version('liteparse' if engine == 'liteparse' else 'pypdfium2')}"
    return f"{name} with {' and '.join(ocr_engines)}" if ocr_engines else name


@cache
def _version(package: str) -> str:
    """The installed version; reading it from the package's metadata takes longer than reading a page."""
    return version(package)
