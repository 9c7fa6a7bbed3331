"""Reads a PDF: text, pages, headings, tables, form fields, and scans by their looks.

liteparse reads the whole file; the pages it reads badly are read again by what reads them well.
Then running lines go, the outline makes the headings, and all is written as markdown.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path
from typing import Literal

from towpath.model.content import Extraction
from towpath.providers.local import refusals
from towpath.providers.local.ocr import OcrSettings
from towpath.providers.local.pdf import rereading
from towpath.providers.local.pdf.liteparse_engine import LiteparseEngine
from towpath.providers.local.pdf.metadata import metadata
from towpath.providers.local.pdf.opening import OpenPdf, opened
from towpath.providers.local.pdf.outline import with_outline
from towpath.providers.local.pdf.pages import Engine, EngineFailed
from towpath.providers.local.pdf.pdfium_engine import PdfiumEngine, with_headings
from towpath.providers.local.pdf.render import compose
from towpath.providers.local.pdf.running import without_running_lines
from towpath.providers.local.pdf.tags import trusted

MOST_PAGES = 20_000

Progress = Callable[[int, int], None]
EngineName = Literal["liteparse", "pdfium"]


def _silent(done: int, total: int) -> None:
    """For callers who do not want to know."""


def read_pdf(
    path: Path,
    progress: Progress = _silent,
    *,
    ocr: OcrSettings,
    max_pages: int = MOST_PAGES,
    engine: EngineName = "liteparse",
) -> Extraction:
    """All that can be read of the file; ``Rejected`` when that is nothing, with the reason.

    ``engine="pdfium"`` leaves liteparse out, for a file on which it took its process down.
    """
    with opened(path, max_pages) as pdf:
        return _extraction(pdf, ocr, Counted(progress, pdf.file.page_count), engine)


class Counted:
    """Counts finished pages and tells of them at most 20 times a second."""

    def __init__(self, progress: Progress, total: int) -> None:
        self._progress = progress
        self._total = total
        self._done = 0
        self._told = 0.0

    def __call__(self) -> None:
        self._done += 1
        now = time.monotonic()
        if now - self._told >= 0.05 or self._done == self._total:
            self._told = now
            self._progress(self._done, self._total)


def _extraction(pdf: OpenPdf, ocr: OcrSettings, count: Counted, name: EngineName) -> Extraction:
    total = pdf.file.page_count
    second = PdfiumEngine(pdf.file)
    outline = pdf.file.outline()
    tags = not outline and pdf.file.is_tagged()
    first = LiteparseEngine(pdf.path, total, form=pdf.file.has_form(), tags=tags)
    if name == "liteparse":
        pages = _all_pages(first, count)
        rereading.sideways(pages, first)
        rereading.suspects(pages, first, pdf.file, count)
        by_second = rereading.missing_and_mistaken(pages, second, total, count)
    else:
        pages = _all_pages(second, count)
        with_headings(pages.values())
        by_second = True
    recognized, warnings = rereading.scans(pages, pdf.file, ocr, count)
    if sorted(pages) != list(range(1, total + 1)):
        raise refusals.corrupt("PDF", f"only {len(pages)} of its {total} pages can be opened")
    ordered = [pages[number] for number in range(1, total + 1)]
    without_running_lines(ordered)
    with_outline(ordered, outline or trusted(ordered))
    markdown, spans, blocks, fields = compose(ordered)
    if not any(map(str.isalnum, markdown)):
        raise refusals.empty("PDF")
    return Extraction(
        markdown=markdown,
        engine=engine_name("pdfium" if by_second else name, recognized=recognized),
        pages=spans,
        blocks=blocks,
        fields=fields,
        metadata=metadata(pdf.file.info(), pdf.path, total),
        warnings=(*pdf.warnings, *warnings),
    )


def _all_pages(engine: Engine, count: Counted) -> rereading.Pages:
    pages: rereading.Pages = {}
    with suppress(EngineFailed):
        for page in engine.pages():
            pages[page.number] = page
            if page.ocr is None and not page.suspect:
                count()
    return pages


def engine_name(engine: EngineName, *, recognized: bool = False) -> str:
    """Who read it, with the version, for the record."""
    name = f"{engine} {version('liteparse' if engine == 'liteparse' else 'pypdfium2')}"
    return f"{name} with Tesseract" if recognized else name
