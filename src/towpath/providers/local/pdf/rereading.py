"""Reads again, in another way, the pages that the first engine did not read well.

Text that stands sideways is turned upright, right-to-left text and lost text come from PDFium,
and pictures of text go through Tesseract.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress

from towpath.providers.local.ocr import (
    OcrSettings,
    language_data,
    missing_languages,
    unavailable,
    why_unavailable,
)
from towpath.providers.local.pdf.liteparse_engine import LiteparseEngine
from towpath.providers.local.pdf.pages import EngineFailed, PageRead, Piece, right_to_left
from towpath.providers.local.pdf.pdfium import PdfiumFile
from towpath.providers.local.pdf.pdfium_engine import PdfiumEngine, with_headings
from towpath.providers.local.pdf.recognizer import Recognizer

Pages = dict[int, PageRead]

_WORD = re.compile(r"\w+")


def sideways(pages: Pages, engine: LiteparseEngine) -> None:
    """Pages most of whose text is turned: liteparse drops its lines or reads them from the last."""
    turns = {page.number: page.turned for page in pages.values() if page.turned}
    with suppress(EngineFailed):
        for page in engine.turned_pages(turns):
            # What stands upright among it, as a header does, is dropped in turn.
            upright = _without(pages[page.number].pieces, page.pieces)
            page.pieces = [*(piece for piece in upright if _is_high(piece)), *page.pieces]
            page.pieces += [piece for piece in upright if not _is_high(piece)]
            page.suspect = pages[page.number].suspect
            pages[page.number] = page


def _without(pieces: Sequence[Piece], others: Sequence[Piece]) -> list[Piece]:
    """Those that say something the others do not; the lines of turned text are cut differently."""
    known = {word for piece in others for word in _WORD.findall(piece.text)}
    return [piece for piece in pieces if not known.issuperset(_WORD.findall(piece.text))]


def _is_high(piece: Piece) -> bool:
    return piece.box is not None and piece.box.y1 < 0.5


def suspects(pages: Pages, engine: LiteparseEngine, file: PdfiumFile, on_page: Callable[[], None]) -> None:
    """Find out which of the suspicious pages are pictures of text."""
    waiting = [page for page in pages.values() if page.suspect]
    with suppress(EngineFailed):
        for page, reason in engine.reasons_for_ocr(waiting):
            blank = reason == "no-text" and file.is_blank(page.number - 1)
            page.ocr = None if blank else reason
    for page in waiting:
        if page.ocr is None:
            on_page()


def missing_and_mistaken(pages: Pages, engine: PdfiumEngine, total: int, on_page: Callable[[], None]) -> bool:
    """Pages that are missing, lost much of their text, or run from right to left; says whether all were."""
    again = [number for number in range(1, total + 1) if number not in pages or _is_mistaken(pages[number])]
    replaced: list[PageRead] = []
    for number in again:
        page, before = engine.page(number), pages.get(number)
        if before is None:
            if page.ocr is None:
                on_page()
        elif page.kept > before.kept or _is_rtl(before):
            page.values = before.values
        else:
            continue
        pages[number] = page
        replaced.append(page)
    with_headings(replaced)
    return len(replaced) == total


def _is_mistaken(page: PageRead) -> bool:
    # A short page may consist of a running header that became no piece.
    lost = page.letters > 40 and page.kept < 0.6 * page.letters
    return page.ocr is None and (lost or _is_rtl(page))


def _is_rtl(page: PageRead) -> bool:
    return right_to_left(page.text)


def scans(
    pages: Pages, file: PdfiumFile, settings: OcrSettings, on_page: Callable[[], None]
) -> tuple[bool, tuple[str, ...]]:
    """Read pictures of text. Says whether any were read, and warns of what had to be left out."""
    waiting = sorted(page.number for page in pages.values() if page.ocr)
    if not waiting:
        return False, ()
    data = language_data(settings)
    if data is None:
        return False, (_left_out(pages, waiting, why_unavailable(settings)),)
    recognizer = Recognizer(data)
    for page in recognizer.pages(file, waiting):
        if page.pieces:
            page.values = pages[page.number].values
            pages[page.number] = page
        on_page()
    if recognizer.failure is not None:
        return False, (_left_out(pages, waiting, recognizer.failure),)
    return True, missing_languages(settings, data)


def _left_out(pages: Pages, waiting: Sequence[int], why: str) -> str:
    """The warning that these pages were not read; when nothing else was, that is a refusal."""
    if not any(page.pieces and page.ocr in (None, "garbled") for page in pages.values()):
        raise unavailable("PDF", why)
    what = "is a picture of text and was" if len(waiting) == 1 else "are pictures of text and were"
    return f"{named(waiting)} {what} left out. {why}"


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
