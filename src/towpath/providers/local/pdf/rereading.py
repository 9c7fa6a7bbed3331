"""Reads again, in another way, the pages that the first engine did not read well.

Text that stands sideways is turned upright, right-to-left text and lost text come from PDFium,
and pictures of text go through Tesseract.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress

from towpath.providers.local.ocr import OcrSettings, language_data, unavailable, why_unavailable
from towpath.providers.local.pdf.liteparse_engine import LiteparseEngine
from towpath.providers.local.pdf.pages import EngineFailed, PageRead, right_to_left
from towpath.providers.local.pdf.pdfium import PdfiumFile
from towpath.providers.local.pdf.pdfium_engine import PdfiumEngine, with_headings
from towpath.providers.local.pdf.recognizer import Recognizer

Pages = dict[int, PageRead]


def sideways(pages: Pages, engine: LiteparseEngine) -> None:
    """Pages most of whose text is turned: liteparse drops its lines or reads them from the last."""
    turns = {page.number: page.turned for page in pages.values() if page.turned and not page.ocr}
    with suppress(EngineFailed):
        for page in engine.turned_pages(turns):
            page.label = pages[page.number].label
            pages[page.number] = page


def missing_and_mistaken(pages: Pages, engine: PdfiumEngine, total: int) -> bool:
    """Pages that are missing, lost much of their text, or run from right to left; says whether all were."""
    again = [number for number in range(1, total + 1) if number not in pages or _is_mistaken(pages[number])]
    replaced: list[PageRead] = []
    for number in again:
        page, before = engine.page(number), pages.get(number)
        if before is None or page.kept > before.kept or _is_rtl(before):
            if before is not None:
                page.values = before.values
            pages[number] = page
            replaced.append(page)
    with_headings(replaced)
    return len(again) == total > 0


def _is_mistaken(page: PageRead) -> bool:
    # A short page may consist of a running header that became no piece.
    lost = page.letters > 40 and page.kept < 0.6 * page.letters
    return page.ocr is None and (lost or _is_rtl(page))


def _is_rtl(page: PageRead) -> bool:
    return right_to_left(" ".join(piece.text for piece in page.pieces))


def scans(pages: Pages, file: PdfiumFile, settings: OcrSettings, on_page: Callable[[], None]) -> str | None:
    """Read pictures of text; a sentence about those that had to be left out, if any."""
    for page in pages.values():
        if page.ocr == "no-text" and file.is_blank(page.number - 1):
            page.ocr = None
            on_page()
    waiting = sorted(page.number for page in pages.values() if page.ocr)
    if not waiting:
        return None
    data = language_data(settings)
    if data is None:
        if not any(page.pieces and page.ocr in (None, "garbled") for page in pages.values()):
            raise unavailable("PDF", settings)
        return f"{named(waiting)} could not be read: a picture of text. {why_unavailable(settings)}"
    for page in Recognizer(data).pages(file, waiting):
        if page.pieces:
            page.values = pages[page.number].values
            pages[page.number] = page
        pages[page.number].ocr = None
        on_page()
    return None


def named(numbers: Iterable[int]) -> str:
    """ "Page 3" or "Pages 3, 7-9"."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    words = [str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in runs]
    return f"{'Page' if words[0].isdecimal() and len(words) == 1 else 'Pages'} {', '.join(words)}"
