"""Reads pages with Tesseract: rendered in groups, levelled, turned, and in the language that is found in them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from towpath.model.content import Word
from towpath.readers.ocr.deskew import box_on_page, level_image, skew_angle
from towpath.readers.ocr.line_layout import group_rows, layout_blocks
from towpath.readers.ocr.ocr_result import Segment
from towpath.readers.ocr.settings import LanguageData
from towpath.readers.ocr.state import OcrState
from towpath.readers.ocr.tesseract_engine import TesseractEngine, TesseractResult
from towpath.readers.ocr.tesseract_languages import language_of, one_per_script
from towpath.readers.pdf.images_to_pdf import PageImage
from towpath.readers.pdf.liteparse_pages import convert_page
from towpath.readers.pdf.page_model import (
    EngineError,
    PageBlock,
    PdfPage,
    box_as_shown,
    boxes_as_shown,
)
from towpath.readers.pdf.pdfium import PdfiumFile

#: Pages with a lower confidence are marked as poorly legible.
MIN_CONFIDENCE = 0.6
_MAX_FAILED_TRIES = 4


class TesseractPages:
    """Reads pages of an open PDF. ``state`` continues after the earlier pages of the same file."""

    def __init__(self, data: LanguageData, state: OcrState) -> None:
        self._data = data
        self._engine = TesseractEngine(data.folder)
        self.state = state
        if not data.detect:
            self._languages = data.languages
        else:
            self._languages = state.languages or one_per_script(data.languages)[0]

    def read_group(self, file: PdfiumFile, numbers: Sequence[int], dpi: int) -> Iterator[PdfPage]:
        """Yield these pages one by one. A page without readable text has no blocks."""
        results = self._recognize(file, numbers, dpi, self.state.rotation, self._languages)
        for position, number in enumerate(numbers, start=1):
            result = results.get(position)
            if result is not None:
                result = self._choose_language(file, number, dpi, result)
                result = self._try_rotations(file, number, dpi, result)
                result = self._reread_in_language(file, number, dpi, result)
                yield _to_page(result, number, file, dpi)
            else:
                yield PdfPage(number, *file.page_size(number - 1))

    def _recognize(
        self, file: PdfiumFile, numbers: Sequence[int], dpi: int, rotation: int, languages: tuple[str, ...]
    ) -> dict[int, TesseractResult]:
        """Readings by position in the group, from 1; a page that cannot be read is missing."""
        images, skews = zip(*(_levelled(file.render(n - 1, dpi, -rotation)) for n in numbers), strict=True)
        try:
            pages = self._engine.parse(images, dpi, languages)
        except EngineError as error:
            failure = f"OCR with the language data in {self._data.folder} failed: {error}"
            self.state = replace(self.state, failure=failure)
            return {}
        self.state = replace(self.state, any_success=True)
        return {
            page.page_num: TesseractResult(page, rotation, languages, skews[page.page_num - 1])
            for page in pages
        }

    def _choose_language(
        self, file: PdfiumFile, number: int, dpi: int, first: TesseractResult
    ) -> TesseractResult:
        """Try the other scripts that are installed if the first reading is weak."""
        others = [
            languages for languages in one_per_script(self._data.languages) if languages != first.languages
        ]
        if not self._data.detect or not first.is_weak or self.state.failed_scripts >= _MAX_FAILED_TRIES:
            return first
        results = [
            reading
            for languages in others
            for reading in self._recognize(file, [number], dpi, first.rotation, languages).values()
        ]
        best = max([first, *results], key=lambda reading: reading.weighted_letters(upright=True))
        if best is first or best.confidence < first.confidence + 0.05:
            self.state = replace(self.state, failed_scripts=self.state.failed_scripts + bool(others))
            return first
        self._use_languages(best.languages)
        return best

    def _reread_in_language(
        self, file: PdfiumFile, number: int, dpi: int, result: TesseractResult
    ) -> TesseractResult:
        """Read again in the language of the text, if its data is installed and was not used."""
        code = language_of(result.text) if self._data.detect else None
        if code is None or code in result.languages or code not in self._data.languages:
            return result
        readings = self._recognize(file, [number], dpi, result.rotation, (code,))
        self._use_languages((code,))
        return max([result, *readings.values()], key=lambda reading: reading.confidence)

    def _use_languages(self, languages: tuple[str, ...]) -> None:
        """The next pages are probably in the same language."""
        self._languages = languages
        self.state = replace(self.state, languages=languages, failed_scripts=0)

    def _try_rotations(
        self, file: PdfiumFile, number: int, dpi: int, first: TesseractResult
    ) -> TesseractResult:
        """Try the other three rotations if the first reading is weak; returns the best reading."""
        if not first.is_weak or self.state.failed_rotations >= _MAX_FAILED_TRIES:
            return first
        other_rotations = [rotation for rotation in (0, 90, 180, 270) if rotation != first.rotation]
        results = [
            reading
            for rotation in other_rotations
            for reading in self._recognize(file, [number], dpi, rotation, first.languages).values()
        ]
        best = max([first, *results], key=lambda reading: reading.weighted_letters(upright=True))
        if best.weighted_letters(upright=True) < 1.25 * first.weighted_letters(upright=True) + 5:
            self.state = replace(self.state, failed_rotations=self.state.failed_rotations + 1)
            return first
        # The next pages were probably scanned with the same rotation.
        self.state = replace(self.state, failed_rotations=0, rotation=best.rotation)
        return best


def _levelled(image: PageImage) -> tuple[PageImage, float]:
    import numpy as np

    grey = np.frombuffer(image.grey, dtype=np.uint8).reshape(image.height, image.width)
    skew = skew_angle(grey)
    return (
        (PageImage(image.width, image.height, level_image(grey, skew).tobytes()), skew)
        if skew
        else (image, 0.0)
    )


def _to_page(result: TesseractResult, number: int, file: PdfiumFile, dpi: int) -> PdfPage:
    page = convert_page(result.page, file.page_count)
    scale = dpi / 72
    width, height = result.page.width * scale, result.page.height * scale
    segments = result.segments(scale)
    poorly_legible = result.confidence < MIN_CONFIDENCE
    if not result.is_readable:
        page.blocks, segments = [], []
    elif poorly_legible or _is_form(segments, width, height):
        # Tables and columns that are guessed from badly read words or from a receipt are wrong.
        page.blocks = layout_blocks(segments, width, height, result.skew)
    else:
        page.blocks = list(_merge_paragraph_lines(map(_demote_unlikely_heading, page.blocks)))
    page = boxes_as_shown(page, result.rotation)
    page.number, page.label = number, file.page_label(number - 1)
    page.width, page.height = file.page_size(number - 1)
    page.words = list(page_words(segments, number, width, height, result.rotation, result.skew))
    page.ocr_confidence = round(result.confidence, 3) if segments else None
    page.poorly_legible = poorly_legible and bool(segments)
    return page


def page_words(
    segments: Iterable[Segment], number: int, width: float, height: float, rotation: int, skew: float = 0.0
) -> Iterator[Word]:
    """The words with boxes on the page as shown."""
    for segment in segments:
        for word in segment.words:
            box = box_as_shown(box_on_page(word.box, skew, width, height), rotation)
            yield Word(word.text, number, box, round(word.confidence, 3))


def _is_form(segments: Sequence[Segment], width: float, height: float) -> bool:
    """True for receipts and forms: a long narrow page, or many lines of several short pieces."""
    rows = group_rows(segments)
    if not rows:
        return False
    if height > 1.75 * width:
        return True
    in_pieces = sum(len(row) > 1 and max(len(piece.words) for piece in row) < 7 for row in rows)
    prose = sum(any(len(piece.words) >= 7 for piece in row) for row in rows)
    return in_pieces > 0.3 * len(rows) and prose < 0.25 * len(rows)


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
