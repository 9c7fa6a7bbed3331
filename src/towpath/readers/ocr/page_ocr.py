"""Reads pages by OCR: scans, photographs, pages without a usable text layer.

Pages are rendered as images. This drops a bad text layer, keeps memory constant, allows progress per page, and allows
rotated pages to be turned. With both engines, RapidOCR reads a page first. Tesseract reads it too if RapidOCR is not
sure and language data of a script is installed that RapidOCR does not know.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby

from towpath.readers.ocr.rapidocr_pages import RapidOcrPages
from towpath.readers.ocr.settings import OcrEngines
from towpath.readers.ocr.state import OcrState
from towpath.readers.ocr.tesseract_engine import PAGES_PER_GROUP
from towpath.readers.ocr.tesseract_languages import RAPIDOCR_SCRIPTS, script_of
from towpath.readers.ocr.tesseract_pages import TesseractPages
from towpath.readers.pdf.page_model import PdfPage
from towpath.readers.pdf.pdfium import PdfiumFile

# Tesseract needs letters about 20 pixels high: 3.7 million pixels on an ordinary page (200 dpi).
_TARGET_PIXELS = 3_740_000
# Limit for posters: their letters may be small, but a page may be 5 metres wide.
_MAX_PIXELS = 40_000_000
_RESOLUTIONS = (100, 150, 200, 250, 300, 400)
#: Below this confidence of RapidOCR the page may be in a script that it does not know.
_SURE = 0.9


class PageOcr:
    """Reads pages of an open PDF. ``state`` continues after the earlier pages of the same file."""

    def __init__(self, engines: OcrEngines, state: OcrState | None = None) -> None:
        self._rapidocr = RapidOcrPages() if engines.rapidocr else None
        self._tesseract = (
            TesseractPages(engines.tesseract, state or OcrState()) if engines.tesseract is not None else None
        )
        languages = engines.tesseract.languages if engines.tesseract else ()
        self._other_scripts = any(script_of(code) not in RAPIDOCR_SCRIPTS for code in languages)
        self._engines = (state or OcrState()).engines

    @property
    def state(self) -> OcrState:
        state = self._tesseract.state if self._tesseract else OcrState()
        return replace(
            state, engines=self._engines, any_success=state.any_success or self._rapidocr is not None
        )

    @property
    def failure(self) -> str | None:
        """Why no page could be read, mostly invalid language data; None if any page was read."""
        return self.state.reported_failure

    @property
    def pages_per_group(self) -> int:
        """Pages that are recognized together. RapidOCR reads page by page: then a page is a group."""
        return PAGES_PER_GROUP if self._rapidocr is None else 1

    @property
    def engines(self) -> tuple[str, ...]:
        """The names of the engines that read pages."""
        return self._engines

    def read_pages(self, file: PdfiumFile, numbers: Sequence[int]) -> Iterator[PdfPage]:
        """Yield these pages one by one. A page without readable text has no blocks."""
        yield from self.read_groups(file, groups_by_resolution(file, numbers, self.pages_per_group))

    def read_groups(self, file: PdfiumFile, groups: Iterable[tuple[int, Sequence[int]]]) -> Iterator[PdfPage]:
        """Yield the pages of these groups (resolution in dpi, page numbers) one by one."""
        for dpi, numbers in groups:
            if self._rapidocr is None:
                assert self._tesseract is not None
                self._used("Tesseract")
                yield from self._tesseract.read_group(file, numbers, dpi)
                continue
            for number in numbers:
                self._used("RapidOCR")
                page = self._rapidocr.read(file, number)
                yield self._in_other_script(file, page, dpi) or page

    def _in_other_script(self, file: PdfiumFile, page: PdfPage, dpi: int) -> PdfPage | None:
        """The page read by Tesseract, if it is in a script that RapidOCR does not know."""
        if self._tesseract is None or not self._other_scripts or (page.ocr_confidence or 0.0) >= _SURE:
            return None
        (second,) = self._tesseract.read_group(file, [page.number], dpi)
        languages = self._tesseract.state.languages
        is_other_script = any(script_of(code) not in RAPIDOCR_SCRIPTS for code in languages)
        if not second.blocks or second.poorly_legible or not is_other_script:
            return None
        self._used("Tesseract")
        return second

    def _used(self, engine: str) -> None:
        if engine not in self._engines:
            self._engines = (*self._engines, engine)


def groups_by_resolution(
    file: PdfiumFile, numbers: Sequence[int], size: int
) -> Iterator[tuple[int, list[int]]]:
    """Resolution in dpi and page numbers of each group of at most ``size`` pages, in order."""
    for dpi, same_resolution in groupby(numbers, key=lambda number: resolution(*file.page_size(number - 1))):
        page_numbers = list(same_resolution)
        for start in range(0, len(page_numbers), size):
            yield dpi, page_numbers[start : start + size]


def resolution(width: float, height: float) -> int:
    """The resolution in dpi that gives about ``_TARGET_PIXELS`` for a page of this size in points."""
    square_inches = max(1.0, (width / 72) * (height / 72))
    target = math.sqrt(_TARGET_PIXELS / square_inches)
    dpi = min(_RESOLUTIONS, key=lambda dpi: abs(dpi - target))
    return min(dpi, int(math.sqrt(_MAX_PIXELS / square_inches)))
