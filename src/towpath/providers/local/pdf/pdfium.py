"""The border to pypdfium2, which has no types: everything Towpath asks of PDFium itself.

PDFium must stay in one thread. Measures are in points in the page's own space (origin at the
bottom left, before /Rotate) until ``Frame`` turns them into boxes on the page as shown.
"""

from __future__ import annotations

import ctypes
import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, cast

import pypdfium2
import pypdfium2.raw as _raw_functions

from towpath.model.content import Box
from towpath.providers.local.pdf.pages import Bookmark, fraction

_lib = cast(Any, pypdfium2)
_raw = cast(Any, _raw_functions)

UNKNOWN_SECURITY = 5

_MOST_BOOKMARKS = 50_000
# PDFium writes U+FFFE in place of a hyphen at the end of a line and of the line end itself.
_LINE = re.compile("[^\r\n\ufffe]+\ufffe?")
_ALEF_LAM = re.compile("[اأإآٱ]ل")


class CannotOpen(Exception):
    """PDFium refuses the file. ``code`` is its last error, which may be left over from an earlier file."""

    def __init__(self, code: int) -> None:
        super().__init__(f"PDFium error {code}")
        self.code = code


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


class PdfiumFile:
    """One PDF opened by PDFium. Close it before its file is removed."""

    def __init__(self, path: Path) -> None:
        try:
            self._document = _lib.PdfDocument(path)
        except _lib.PdfiumError as error:
            raise CannotOpen(int(error.err_code or 0)) from error
        self.page_count = len(self._document)

    def close(self) -> None:
        self._document.close()

    def info(self) -> dict[str, str]:
        return dict(self._document.get_metadata_dict(skip_empty=True))

    def is_tagged(self) -> bool:
        """Whether the file says which of its text is a heading, a paragraph, a table."""
        return bool(self._document.is_tagged())

    def has_form(self) -> bool:
        return bool(self._document.get_formtype())

    def size(self, index: int) -> tuple[float, float]:
        """Width and height as shown."""
        try:
            width, height = self._document.get_page_size(index)
        except _lib.PdfiumError:
            return 0.0, 0.0
        return float(width), float(height)

    def label(self, index: int) -> str | None:
        return self._document.get_page_label(index) or None

    def outline(self) -> list[Bookmark]:
        found: list[Bookmark] = []
        for entry in islice(self._document.get_toc(), _MOST_BOOKMARKS):
            destination = entry.get_dest()
            page = destination.get_index() if destination is not None else None
            if page is None or not 0 <= page < self.page_count:
                continue
            try:
                title = " ".join(str(entry.get_title()).split())
            except UnicodeDecodeError:
                continue
            if title:
                found.append(Bookmark(title, int(entry.level), int(page), self._top_of(destination, page)))
        return found

    def _top_of(self, destination: Any, page: int) -> float | None:
        """A hint only: it takes the page to begin at 0 and to stand upright, for loading it costs 1 ms."""
        mode, view = destination.get_view()
        at = {_raw.PDFDEST_VIEW_XYZ: 1, _raw.PDFDEST_VIEW_FITH: 0, _raw.PDFDEST_VIEW_FITBH: 0}.get(mode)
        height = self.size(page)[1]
        if at is None or at >= len(view) or not height:
            return None
        return fraction(1 - float(view[at]) / height)

    def lines(self, index: int) -> list[Line]:
        """The page's lines in the order PDFium reads them; [] when PDFium cannot load the page."""
        try:
            page = self._document[index]
            frame = _frame(page)
            text_page = page.get_textpage()
            upright = _angle_of_text(text_page)
            if upright != frame.rotation:
                # PDFium orders lines by the page as shown; sideways text comes out last line first.
                text_page.close()
                page.set_rotation(upright)
                text_page = page.get_textpage()
        except _lib.PdfiumError:
            return []
        found = _lines(text_page, frame)
        text_page.close()
        page.close()
        return found

    def is_blank(self, index: int) -> bool:
        """Whether nothing can be seen on the page; drawn small (36 dpi) and in grey, some 5 ms."""
        try:
            page = self._document[index]
            pixels = bytes(page.render(scale=0.5, grayscale=True).buffer)
        except _lib.PdfiumError:
            return True
        paper = max(pixels, default=0)
        ink = pixels.translate(None, delete=bytes(range(max(0, paper - 60), 256)))
        # Dust and the borders of an empty scan stay under 1 pixel in 2,000.
        return len(ink) * 2000 < len(pixels)

    def copy_pages(self, indices: Sequence[int], to: Path, turn: int = 0) -> None:
        """Write these pages, turned clockwise by ``turn`` degrees, as a file of their own."""
        copy = _lib.PdfDocument.new()
        copy.import_pages(self._document, list(indices))
        if turn:
            for page in copy:
                page.set_rotation((page.get_rotation() + turn) % 360)
        copy.save(to)
        copy.close()


def _frame(page: Any) -> Frame:
    left, bottom, right, top = page.get_bbox()
    return Frame(left, bottom, right, top, int(page.get_rotation()) % 360)


def _angle_of_text(text_page: Any) -> int:
    """The /Rotate with which most of the text would stand upright, from some 50 letters."""
    total = text_page.count_chars()
    step = max(1, total // 50)
    angles: Iterable[float] = (_raw.FPDFText_GetCharAngle(text_page, at) for at in range(0, total, step))
    votes = Counter(round(math.degrees(angle) / 90) * 90 % 360 for angle in angles if angle >= 0)
    return votes.most_common(1)[0][0] if votes else 0


def _lines(text_page: Any, frame: Frame) -> list[Line]:
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
