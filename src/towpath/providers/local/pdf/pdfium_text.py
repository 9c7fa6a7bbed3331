"""Lines of text as PDFium reads them, with their place on the page.

PDFium measures in points in the page's own space (origin at the bottom left, before /Rotate);
``Frame`` turns that into boxes on the page as shown.
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
from towpath.providers.local.pdf.pages import fraction

_raw = cast(Any, _raw_functions)

# PDFium writes U+FFFE in place of a hyphen at the end of a line and of the line end itself.
_LINE = re.compile("[^\r\n\ufffe]+\ufffe?")
_ALEF_LAM = re.compile("[اأإآٱ]ل")


@dataclass(frozen=True, slots=True)
class Line:
    """A line of text in PDFium's order, with the size of its first letter."""

    text: str
    box: Box
    size: float
    bold: bool


@dataclass(frozen=True, slots=True)
class Frame:
    """The visible rectangle of a page in its own space, and the turn with which it is shown."""

    left: float
    bottom: float
    right: float
    top: float
    rotation: int

    def box(self, left: float, bottom: float, right: float, top: float) -> Box:
        x0, y0 = self.point(left, bottom)
        x1, y1 = self.point(right, top)
        return Box(*map(fraction, (min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1))))

    def point(self, x: float, y: float) -> tuple[float, float]:
        """Fractions from the top left corner of the page as shown."""
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


def frame_of(page: Any) -> Frame:
    left, bottom, right, top = page.get_bbox()
    return Frame(left, bottom, right, top, int(page.get_rotation()) % 360)


def angle_of_text(text_page: Any) -> int:
    """The /Rotate with which most of the text would stand upright, from some 50 letters."""
    total = text_page.count_chars()
    step = max(1, total // 50)
    angles: Iterable[float] = (_raw.FPDFText_GetCharAngle(text_page, at) for at in range(0, total, step))
    votes = Counter(round(math.degrees(angle) / 90) * 90 % 360 for angle in angles if angle >= 0)
    return votes.most_common(1)[0][0] if votes else 0


def lines_of(text_page: Any, frame: Frame) -> list[Line]:
    text = str(text_page.get_text_range())
    same_index = len(text) == text_page.count_chars()
    text = _mend_ligatures(text_page, text, same_index)
    found: list[Line] = []
    for match in _LINE.finditer(text):
        start, raw = match.start(), match[0]
        if not raw.strip():
            continue
        first = start if same_index else _char_index(text_page, start)
        rectangle = _rectangle(text_page, first, len(raw))
        if rectangle is not None:
            size = float(_raw.FPDFText_GetFontSize(text_page, first))
            bold = int(_raw.FPDFText_GetFontWeight(text_page, first)) >= 600
            found.append(Line(raw.strip(), frame.box(*rectangle), round(size, 1), bold))
    return found


def _char_index(text_page: Any, text_index: int) -> int:
    return max(0, int(_raw.FPDFText_GetCharIndexFromTextIndex(text_page, text_index)))


def _rectangle(text_page: Any, first: int, count: int) -> tuple[float, float, float, float] | None:
    rectangles: list[tuple[float, float, float, float]] = []
    for index in range(text_page.count_rects(first, count)):
        rectangles.append(text_page.get_rect(index))
    if not rectangles:
        return None
    lefts, bottoms, rights, tops = zip(*rectangles, strict=True)
    return min(lefts), min(bottoms), max(rights), max(tops)


def _mend_ligatures(text_page: Any, text: str, same_index: bool) -> str:
    """PDFium spells the Arabic ligature lam-alef backwards; both its letters then share one box."""

    def spelled(found: re.Match[str]) -> str:
        first = found.start() if same_index else _char_index(text_page, found.start())
        ligature = _char_box(text_page, first) == _char_box(text_page, first + 1)
        return found[0][::-1] if ligature else found[0]

    return _ALEF_LAM.sub(spelled, text)


def _char_box(text_page: Any, index: int) -> tuple[float, ...]:
    edges = [ctypes.c_double() for _ in range(4)]
    _raw.FPDFText_GetCharBox(text_page, index, *edges)
    return tuple(edge.value for edge in edges)
