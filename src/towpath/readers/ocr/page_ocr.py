"""Reads pages by OCR with Tesseract: scans, photographs, pages without a usable text layer.

Pages are rendered in groups of four into a temporary PDF of images. This drops a bad text layer, keeps
memory constant, allows progress per page, and allows rotated pages to be turned.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from towpath.readers.ocr.settings import LanguageData
from towpath.readers.pdf.images_to_pdf import write_images
from towpath.readers.pdf.liteparse_engine import OcrOptions, make_parser, translated_errors
from towpath.readers.pdf.liteparse_pages import convert_page
from towpath.readers.pdf.page_model import EngineError, PageBlock, PdfPage, boxes_as_shown
from towpath.readers.pdf.pdfium import PdfiumFile

if TYPE_CHECKING:
    from liteparse.parser import LiteParse
    from liteparse.types import ParsedPage

# Tesseract needs letters about 20 pixels high: 3.7 million pixels on an ordinary page (200 dpi).
_TARGET_PIXELS = 3_740_000
# Limit for posters: their letters may be small, but a page may be 5 metres wide.
_MAX_PIXELS = 40_000_000
_RESOLUTIONS = (100, 150, 200, 250, 300, 400)
#: Pages that are recognized together: one batch of a long scan.
PAGES_PER_GROUP = 4
_MAX_FAILED_ROTATIONS = 4


@dataclass(frozen=True, slots=True)
class _OcrResult:
    """The result of one OCR attempt on a page, and the rotation in degrees with which it was made."""

    page: ParsedPage
    rotation: int

    @property
    def confidence(self) -> float:
        """Tesseract's mean confidence per letter, 0 to 1; 1 if there are no letters."""
        confidences = [
            (item.confidence, len(item.text)) for item in self.page.text_items if item.confidence is not None
        ]
        letters = sum(length for _, length in confidences)
        return sum(confidence * length for confidence, length in confidences) / letters if letters else 1.0

    def weighted_letters(self, *, upright: bool) -> float:
        """Number of letters, weighted by confidence, in upright (or sideways) words."""
        return sum(
            item.confidence * len(item.text)
            for item in self.page.text_items
            if item.confidence is not None and len(item.text) > 2 and (item.width >= item.height) is upright
        )

    @property
    def is_weak(self) -> bool:
        """True if confidence is low or most text is sideways: another rotation may be better."""
        return self.confidence < 0.7 or self.weighted_letters(upright=False) > self.weighted_letters(
            upright=True
        )

    @property
    def is_readable(self) -> bool:
        """True if at least one word is more than a speck on the paper."""
        return any(
            item.confidence is None or (item.confidence >= 0.5 and sum(map(str.isalnum, item.text)) > 1)
            for item in self.page.text_items
        )


@dataclass(frozen=True, slots=True)
class OcrState:
    """What earlier pages of a file decide for the later ones."""

    rotation: int = 0
    failed_rotations: int = 0
    any_success: bool = False
    failure: str = ""

    @property
    def reported_failure(self) -> str | None:
        """Why no page could be read; None if any page was read."""
        return self.failure if self.failure and not self.any_success else None


class PageOcr:
    """Reads pages of an open PDF with Tesseract. ``state`` continues after the earlier pages of the same file."""

    def __init__(self, data: LanguageData, state: OcrState | None = None) -> None:
        state = state or OcrState()
        self._language_data = data
        # Half the cores, because other documents run too; each worker takes about 60 MB.
        self._workers = min(4, max(1, (os.cpu_count() or 2) // 2))
        self._parsers: dict[int, LiteParse] = {}
        self._rotation = state.rotation
        self._failed_rotations = state.failed_rotations
        self._any_success = state.any_success
        self._failure = state.failure

    @property
    def state(self) -> OcrState:
        return OcrState(self._rotation, self._failed_rotations, self._any_success, self._failure)

    @property
    def failure(self) -> str | None:
        """Why no page could be read, mostly invalid language data; None if any page was read."""
        return self.state.reported_failure

    def read_pages(self, file: PdfiumFile, numbers: Sequence[int]) -> Iterator[PdfPage]:
        """Yield these pages one by one. A page without readable text has no blocks."""
        yield from self.read_groups(file, groups_by_resolution(file, numbers))

    def read_groups(self, file: PdfiumFile, groups: Iterable[tuple[int, Sequence[int]]]) -> Iterator[PdfPage]:
        """Yield the pages of these groups (resolution in dpi, page numbers) one by one."""
        with TemporaryDirectory(prefix="towpath-ocr-") as folder:
            images_path = Path(folder, "pages.pdf")
            for dpi, group in groups:
                results = self._recognize(file, group, images_path, dpi, self._rotation)
                for position, number in enumerate(group, start=1):
                    result = results.get(position)
                    best = result and self._try_rotations(file, number, images_path, dpi, result)
                    yield (
                        _to_page(best, number, file) if best else PdfPage(number, *file.page_size(number - 1))
                    )

    def _recognize(
        self, file: PdfiumFile, numbers: Sequence[int], images_path: Path, dpi: int, rotation: int
    ) -> dict[int, _OcrResult]:
        """Readings by position in the group, from 1; a page that cannot be read is missing."""
        write_images(images_path, [file.render(number - 1, dpi, -rotation) for number in numbers], dpi)
        if dpi not in self._parsers:
            languages = "+".join(self._language_data.languages)
            recognition = OcrOptions(self._language_data.folder, languages, dpi, self._workers)
            self._parsers[dpi] = make_parser(PAGES_PER_GROUP, ocr=recognition)
        try:
            with translated_errors():
                pages = self._parsers[dpi].parse(images_path).pages
        except EngineError as error:
            self._failure = f"OCR with the language data in {self._language_data.folder} failed: {error}"
            return {}
        self._any_success = True
        return {page.page_num: _OcrResult(page, rotation) for page in pages}

    def _try_rotations(
        self, file: PdfiumFile, number: int, images_path: Path, dpi: int, first: _OcrResult
    ) -> _OcrResult:
        """Try the other three rotations if the first reading is weak; returns the best reading."""
        if not first.is_weak or self._failed_rotations >= _MAX_FAILED_ROTATIONS:
            return first
        other_rotations = [rotation for rotation in (0, 90, 180, 270) if rotation != first.rotation]
        results = [
            reading
            for rotation in other_rotations
            for reading in self._recognize(file, [number], images_path, dpi, rotation).values()
        ]
        best = max([first, *results], key=lambda reading: reading.weighted_letters(upright=True))
        if best.weighted_letters(upright=True) < 1.25 * first.weighted_letters(upright=True) + 5:
            self._failed_rotations += 1
            return first
        self._failed_rotations = 0
        # The next pages were probably scanned with the same rotation.
        self._rotation = best.rotation
        return best


def groups_by_resolution(file: PdfiumFile, numbers: Sequence[int]) -> Iterator[tuple[int, list[int]]]:
    """Resolution in dpi and page numbers of each group, in order."""
    for dpi, same_resolution in groupby(numbers, key=lambda number: resolution(*file.page_size(number - 1))):
        page_numbers = list(same_resolution)
        for start in range(0, len(page_numbers), PAGES_PER_GROUP):
            yield dpi, page_numbers[start : start + PAGES_PER_GROUP]


def resolution(width: float, height: float) -> int:
    """The resolution in dpi that gives about ``_TARGET_PIXELS`` for a page of this size in points."""
    square_inches = max(1.0, (width / 72) * (height / 72))
    target = math.sqrt(_TARGET_PIXELS / square_inches)
    dpi = min(_RESOLUTIONS, key=lambda dpi: abs(dpi - target))
    return min(dpi, int(math.sqrt(_MAX_PIXELS / square_inches)))


def _to_page(result: _OcrResult, number: int, file: PdfiumFile) -> PdfPage:
    page = convert_page(result.page, file.page_count)
    page.blocks = (
        list(_merge_paragraph_lines(map(_demote_unlikely_heading, page.blocks))) if result.is_readable else []
    )
    page = boxes_as_shown(page, result.rotation)
    page.number, page.label = number, file.page_label(number - 1)
    page.width, page.height = file.page_size(number - 1)
    return page


def _demote_unlikely_heading(block: PageBlock) -> PageBlock:
    """Turn an unlikely heading into a paragraph: specks and tall letters make a line look large."""
    letters = sum(map(str.isalpha, block.text))
    is_unlikely_heading = letters < 4 or letters * 10 < len(block.text) * 6 or block.text[0].islower()
    if block.kind == "heading" and (is_unlikely_heading or block.text.endswith((",", ".", ";"))):
        return replace(block, kind="paragraph", level=0)
    return block


def _merge_paragraph_lines(blocks: Iterable[PageBlock]) -> Iterator[PageBlock]:
    """Join lines of one paragraph that the uneven line spacing of a scan has separated."""
    previous: PageBlock | None = None
    for block in blocks:
        merged = previous and _merge(previous, block)
        if previous is not None and merged is None:
            yield previous
        previous = merged or block
    if previous is not None:
        yield previous


def _merge(previous: PageBlock, block: PageBlock) -> PageBlock | None:
    """Both blocks as one paragraph, or None if the second begins a new one."""
    if previous.kind != "paragraph" or block.kind != "paragraph" or previous.box is None or block.box is None:
        return None
    line_height = min(previous.box.y1 - previous.box.y0, block.box.y1 - block.box.y0)
    gap = block.box.y0 - previous.box.y1
    is_next_line = -0.002 <= gap < min(0.02, 0.9 * line_height) and abs(block.box.x0 - previous.box.x0) < 0.02
    # A short line ends its paragraph.
    is_full_line = previous.box.x1 >= block.box.x1 - 0.1
    if not is_next_line or not is_full_line or previous.text.endswith((".", "!", "?", ":")):
        return None
    box = replace(previous.box, x1=max(previous.box.x1, block.box.x1), y1=block.box.y1)
    return replace(previous, text=f"{previous.text} {block.text}", box=box)
