"""Re-reads pages that liteparse read badly: rotated text, lost or right-to-left text, scans.

Rotated text is read again upright, lost and right-to-left text with PDFium, images of text with Tesseract.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress

from towpath.readers.ocr.batched_ocr import RecognizerFactory
from towpath.readers.ocr.settings import (
    OcrSettings,
    find_engines,
    missing_language_warnings,
    ocr_unavailable,
    unavailable_reason,
)
from towpath.readers.pdf.liteparse_engine import LiteparseEngine
from towpath.readers.pdf.page_model import EngineError, PageBlock, PdfPage, is_right_to_left
from towpath.readers.pdf.pdfium import PdfiumFile
from towpath.readers.pdf.pdfium_engine import PdfiumEngine, set_headings_by_size

Pages = dict[int, PdfPage]

_WORD = re.compile(r"\w+")


def reread_rotated(pages: Pages, engine: LiteparseEngine) -> None:
    """Re-read pages whose text is mostly rotated: liteparse drops its lines or reads them in reverse."""
    rotations = {page.number: page.text_rotation for page in pages.values() if page.text_rotation}
    with suppress(EngineError):
        for page in engine.rotated_pages(rotations):
            # The second pass drops upright text such as a header, so it is kept from the first pass.
            upright = _blocks_missing_in(pages[page.number].blocks, page.blocks)
            page.blocks = [*(block for block in upright if _is_in_upper_half(block)), *page.blocks]
            page.blocks += [block for block in upright if not _is_in_upper_half(block)]
            page.may_need_ocr = pages[page.number].may_need_ocr
            pages[page.number] = page


def _blocks_missing_in(blocks: Sequence[PageBlock], others: Sequence[PageBlock]) -> list[PageBlock]:
    """Blocks with a word that the others lack. Words are compared, since line breaks differ."""
    other_words = {word for block in others for word in _WORD.findall(block.text)}
    return [block for block in blocks if not other_words.issuperset(_WORD.findall(block.text))]


def _is_in_upper_half(block: PageBlock) -> bool:
    return block.box is not None and block.box.y1 < 0.5


def detect_scans(
    pages: Pages, engine: LiteparseEngine, file: PdfiumFile, on_page: Callable[[], None]
) -> None:
    """Set ``ocr_reason`` for the pages that may need OCR and do."""
    candidates = [page for page in pages.values() if page.may_need_ocr]
    with suppress(EngineError):
        for page, reason in engine.ocr_reasons(candidates):
            is_blank = reason == "no-text" and file.is_blank(page.number - 1)
            page.ocr_reason = None if is_blank else reason
    for page in candidates:
        if page.ocr_reason is None:
            on_page()


def reread_with_pdfium(pages: Pages, engine: PdfiumEngine, total: int, on_page: Callable[[], None]) -> bool:
    """Re-read with PDFium pages that are missing, lost much text or are right-to-left; True if all were."""
    numbers = [
        number for number in range(1, total + 1) if number not in pages or _is_badly_read(pages[number])
    ]
    replaced: list[PdfPage] = []
    for number in numbers:
        page, previous = engine.read_page(number), pages.get(number)
        if previous is None:
            if page.ocr_reason is None:
                on_page()
        elif page.block_characters > previous.block_characters or _is_rtl(previous):
            page.form_values = previous.form_values
        else:
            continue
        pages[number] = page
        replaced.append(page)
    set_headings_by_size(replaced)
    return len(replaced) == total


def _is_badly_read(page: PdfPage) -> bool:
    # A short page may consist of a running header that liteparse dropped.
    lost_text = page.character_count > 40 and page.block_characters < 0.6 * page.character_count
    return page.ocr_reason is None and (lost_text or _is_rtl(page))


def _is_rtl(page: PdfPage) -> bool:
    return is_right_to_left(page.text)


def read_by_ocr(
    pages: Pages,
    file: PdfiumFile,
    settings: OcrSettings,
    on_page: Callable[[], None],
    recognizer: RecognizerFactory,
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Read pages by OCR. Returns the engines that were used, and warnings about pages."""
    numbers = sorted(page.number for page in pages.values() if page.ocr_reason)
    if not numbers:
        return (), ()
    engines = find_engines(settings)
    if engines is None:
        return (), (_unread_warning(pages, numbers, unavailable_reason(settings)),)
    page_ocr = recognizer(engines)
    for page in page_ocr.read_pages(file, numbers):
        if page.blocks:
            page.form_values = pages[page.number].form_values
            pages[page.number] = page
        on_page()
    if page_ocr.failure is not None:
        return (), (_unread_warning(pages, numbers, page_ocr.failure),)
    poor = [number for number in numbers if pages[number].poorly_legible]
    return page_ocr.engines, (*missing_language_warnings(settings, engines), *legibility_warnings(poor))


def legibility_warnings(numbers: Sequence[int]) -> tuple[str, ...]:
    """The warning that these pages are poorly legible; empty if there are none."""
    if not numbers:
        return ()
    verb = "is" if len(numbers) == 1 else "are"
    return (f"{page_list(numbers)} {verb} poorly legible: the text found by OCR may be wrong.",)


def _unread_warning(pages: Pages, numbers: Sequence[int], reason: str) -> str:
    """The warning that these pages were not read. Rejects the file if no other page has text."""
    if not any(page.blocks and page.ocr_reason in (None, "garbled") for page in pages.values()):
        raise ocr_unavailable("PDF", reason)
    verb = "has no text layer and was" if len(numbers) == 1 else "have no text layer and were"
    return f"{page_list(numbers)} {verb} not read. {reason}"


def page_list(numbers: Iterable[int]) -> str:
    """ "Page 3" or "Pages 3, 7-9"."""
    ranges: list[list[int]] = []
    for number in numbers:
        if ranges and number == ranges[-1][-1] + 1:
            ranges[-1].append(number)
        else:
            ranges.append([number])
    texts = [
        str(page_range[0]) if len(page_range) == 1 else f"{page_range[0]}-{page_range[-1]}"
        for page_range in ranges
    ]
    return f"{'Page' if texts[0].isdecimal() and len(texts) == 1 else 'Pages'} {', '.join(texts)}"
