"""Turns and deskews pages, recognizes them with RapidOCR, and orders the lines, also in columns."""

from __future__ import annotations

from functools import cache

from towpath.readers.ocr.deskew import level_image, skew_angle
from towpath.readers.ocr.line_layout import layout_blocks
from towpath.readers.ocr.ocr_result import Recognition
from towpath.readers.ocr.rapidocr_engine import RapidOcrEngine
from towpath.readers.ocr.tesseract_engine import ocr_threads
from towpath.readers.ocr.tesseract_pages import page_words
from towpath.readers.pdf.page_model import PdfPage, boxes_as_shown
from towpath.readers.pdf.pdfium import PdfiumFile

#: Pages with a lower confidence are marked as poorly legible.
MIN_CONFIDENCE = 0.8
# RapidOCR itself shrinks larger images. 200 dpi is the resolution of an image file as a page.
_MAX_SIDE = 2000
_MAX_DPI = 200


@cache
def _loaded_engine() -> RapidOcrEngine:
    """The engine of this process: loading takes as long as a page, and a long scan is one call for each page."""
    return RapidOcrEngine(ocr_threads())


class RapidOcrPages:
    """Reads pages of an open PDF. The models are loaded with the first page."""

    def read(self, file: PdfiumFile, number: int) -> PdfPage:
        """The page; without blocks if nothing on it is readable."""
        import numpy as np

        engine = _loaded_engine()
        width, height = file.page_size(number - 1)
        dpi = max(1, min(_MAX_DPI, round(_MAX_SIDE * 72 / max(1.0, width, height))))
        image = file.render(number - 1, dpi, 0)
        grey = np.frombuffer(image.grey, dtype=np.uint8).reshape(image.height, image.width)
        skew = skew_angle(grey)
        recognition = engine.recognize(level_image(grey, skew) if skew else grey)
        page = to_page(recognition, number, skew)
        page.width, page.height, page.label = width, height, file.page_label(number - 1)
        return page


def to_page(recognition: Recognition, number: int, skew: float = 0.0) -> PdfPage:
    """The recognized text as a page of blocks and words; its size is in pixels."""
    width, height = float(recognition.width), float(recognition.height)
    page = PdfPage(number, width, height)
    segments = recognition.segments
    if not any(sum(map(str.isalnum, word.text)) > 1 for segment in segments for word in segment.words):
        return page
    page.blocks = layout_blocks(segments, width, height, skew)
    # The image was turned clockwise by `rotation`, so the page as shown is turned by the rest of the circle.
    rotation = -recognition.rotation % 360
    page.words = list(page_words(segments, number, width, height, 0, skew))
    page.character_count = sum(len(word.text) for word in page.words)
    page.ocr_confidence = round(recognition.confidence, 3)
    page.poorly_legible = recognition.confidence < MIN_CONFIDENCE
    return boxes_as_shown(page, rotation)
