"""Tesseract, which is built into liteparse: recognizes groups of page images with one set of languages."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from towpath.readers.ocr.ocr_result import OcrWord, Rectangle, Segment
from towpath.readers.pdf.images_to_pdf import PageImage, write_images
from towpath.readers.pdf.liteparse_engine import OcrOptions, make_parser, translated_errors

if TYPE_CHECKING:
    from liteparse.parser import LiteParse
    from liteparse.types import ParsedPage

#: Pages that are recognized together: without RapidOCR, one batch of a long scan.
PAGES_PER_GROUP = 4


def ocr_threads() -> int:
    """Half the cores, because other documents run too; each worker of Tesseract takes about 60 MB."""
    return min(4, max(1, (os.cpu_count() or 2) // 2))


@dataclass(frozen=True, slots=True)
class TesseractResult:
    """One reading of a page image that was turned by ``rotation`` degrees, with these languages."""

    page: ParsedPage
    rotation: int
    languages: tuple[str, ...]
    skew: float = 0.0

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
        """True if confidence is low or most text is sideways: another rotation or language may be better."""
        sideways = self.weighted_letters(upright=False) > self.weighted_letters(upright=True)
        return self.confidence < 0.7 or sideways

    @property
    def is_readable(self) -> bool:
        """True if at least one word is more than a speck on the paper."""
        return any(
            item.confidence is None or (item.confidence >= 0.5 and sum(map(str.isalnum, item.text)) > 1)
            for item in self.page.text_items
        )

    @property
    def text(self) -> str:
        return " ".join(item.text for item in self.page.text_items)

    def segments(self, scale: float) -> list[Segment]:
        """The pieces of lines in pixels; ``scale`` is pixels per point. Words share the width by their length."""
        segments: list[Segment] = []
        for item in self.page.text_items:
            words = item.text.split()
            if not words or item.height <= 0:
                continue
            y0, y1 = item.y * scale, (item.y + item.height) * scale
            letter = item.width * scale / max(1, len(" ".join(words)))
            x = item.x * scale
            boxes: list[OcrWord] = []
            for word in words:
                end = x + letter * len(word)
                boxes.append(OcrWord(word, Rectangle(x, y0, end, y1), item.confidence or 0.0))
                x = end + letter
            area = Rectangle(item.x * scale, y0, (item.x + item.width) * scale, y1)
            segments.append(Segment(tuple(boxes), area))
        return segments


class TesseractEngine:
    """Recognizes page images; one parser per resolution and set of languages."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._parsers: dict[tuple[int, tuple[str, ...]], LiteParse] = {}

    def parse(self, images: Sequence[PageImage], dpi: int, languages: tuple[str, ...]) -> list[ParsedPage]:
        """The pages that could be read; ``page_num`` counts the images from 1. Raises `EngineError`."""
        key = (dpi, languages)
        if key not in self._parsers:
            options = OcrOptions(self._folder, "+".join(languages), dpi, ocr_threads())
            self._parsers[key] = make_parser(PAGES_PER_GROUP, ocr=options)
        with TemporaryDirectory(prefix="towpath-ocr-") as folder, translated_errors():
            path = Path(folder, "pages.pdf")
            write_images(path, images, dpi)
            return list(self._parsers[key].parse(path).pages)
