"""Extracts text lines with positions from PDFium.

PDFium measures in points in the page's own space (origin at the bottom left, before /Rotate);
``PageFrame`` converts that to boxes on the page as shown.
"""

from __future__ import annotations

import ctypes
import math
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, cast

import pypdfium2.raw as _raw_functions

from towpath.model.content import Box
from towpath.readers.pdf.page_model import page_fraction

_raw = cast(Any, _raw_functions)

# PDFium writes U+FFFE for a hyphen at the end of a line, including the line end.
_LINE = re.compile("[^\r\n\ufffe]+\ufffe?")
_ALEF_LAM = re.compile("[اأإآٱ]ل")


@dataclass(frozen=True, slots=True)
class TextLine:
    """A line of text, with the font size and weight of its first character."""

    text: str
    box: Box
    size: float
    bold: bool


@dataclass(frozen=True, slots=True)
class PageFrame:
    """The visible rectangle of a page in its own space, and its /Rotate in degrees."""

    left: float
    bottom: float
    right: float
    top: float
    rotation: int

    def box(self, left: float, bottom: float, right: float, top: float) -> Box:
        """A rectangle as a box on the page as shown."""
        x0, y0 = self.point(left, bottom)
        x1, y1 = self.point(right, top)
        return Box(*map(page_fraction, (min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1))))

    def point(self, x: float, y: float) -> tuple[float, float]:
        """A point as fractions from the top left corner of the page as shown."""
        right = (x - self.left) / ((self.right - self.left) or 1.0)
        up = (y - self.bottom) / ((self.top - self.bottom) or 1.0)
        match self.rotation:
            case 90:
                return up, right
            case 180:
                return 1 - right, up
            case 270:
                return 1 - up, 1 - right
            case _:
                return right, 1 - up


def page_frame(page: Any) -> PageFrame:
    """The frame of a pypdfium2 page."""
    left, bottom, right, top = page.get_bbox()
    return PageFrame(left, bottom, right, top, int(page.get_rotation()) % 360)


def text_angle(text_page: Any) -> int:
    """The /Rotate that would show most of the text upright, from a sample of about 50 characters."""
    total = text_page.count_chars()
    step = max(1, total // 50)
    angles: Iterable[float] = (
        _raw.FPDFText_GetCharAngle(text_page, index) for index in range(0, total, step)
    )
    votes = Counter(round(math.degrees(angle) / 90) * 90 % 360 for angle in angles if angle >= 0)
    return votes.most_common(1)[0][0] if votes else 0


def extract_lines(text_page: Any, frame: PageFrame) -> list[TextLine]:
    """The non-empty lines of a pypdfium2 text page."""
    text = str(text_page.get_text_range())
    same_index = len(text) == text_page.count_chars()
    text = _restore_ligatures(text_page, text, same_index)
    lines: list[TextLine] = []
    for match in _LINE.finditer(text):
        start, raw = match.start(), match[0]
        if not raw.strip():
            continue
        first = start if same_index else _char_index(text_page, start)
        rectangle = _bounding_rectangle(text_page, first, len(raw))
        if rectangle is not None:
            size = float(_raw.FPDFText_GetFontSize(text_page, first))
            bold = int(_raw.FPDFText_GetFontWeight(text_page, first)) >= 600
            lines.append(TextLine(raw.strip(), frame.box(*rectangle), round(size, 1), bold))
    return lines


def _char_index(text_page: Any, text_index: int) -> int:
    return max(0, int(_raw.FPDFText_GetCharIndexFromTextIndex(text_page, text_index)))


def _bounding_rectangle(text_page: Any, first: int, count: int) -> tuple[float, float, float, float] | None:
    rectangles: list[tuple[float, float, float, float]] = []
    for index in range(text_page.count_rects(first, count)):
        rectangles.append(text_page.get_rect(index))
    if not rectangles:
        return None
    lefts, bottoms, rights, tops = zip(*rectangles, strict=True)
    return min(lefts), min(bottoms), max(rights), max(tops)


def _restore_ligatures(text_page: Any, text: str, same_index: bool) -> str:
    """Restore the letter order of Arabic lam-alef ligatures, which PDFium reverses.

    The two letters of a ligature have the same character box.
    """

    def in_reading_order(match: re.Match[str]) -> str:
        first = match.start() if same_index else _char_index(text_page, match.start())
        ligature = _char_box(text_page, first) == _char_box(text_page, first + 1)
        return match[0][::-1] if ligature else match[0]

    return _ALEF_LAM.sub(in_reading_order, text)


def _char_box(text_page: Any, index: int) -> tuple[float, ...]:
    edges = [ctypes.c_double() for _ in range(4)]
    _raw.FPDFText_GetCharBox(text_page, index, *edges)
    return tuple(edge.value for edge in edges)
