"""Extracts words and lines of a PDF with their positions in inches from the top left, using PDFium."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

_pdfium: Any = import_module("pypdfium2")  # it carries no types
_pdfium_c: Any = import_module("pypdfium2.raw")
_ONE_AT_A_TIME = threading.Lock()  # PDFium is not thread-safe
_SOFT_HYPHEN = 0xFFFE
_POINTS = 72.0


class Unreadable(Exception):
    """PDFium cannot open the file: damaged, protected, or no PDF at all."""


@dataclass(frozen=True, slots=True)
class Rect:
    x0: float
    y0: float
    x1: float
    y1: float

    @staticmethod
    def around(rects: Sequence[Rect]) -> Rect:
        return Rect(
            min(r.x0 for r in rects),
            min(r.y0 for r in rects),
            max(r.x1 for r in rects),
            max(r.y1 for r in rects),
        )

    @property
    def polygon(self) -> list[float]:
        corners = (self.x0, self.y0, self.x1, self.y0, self.x1, self.y1, self.x0, self.y1)
        return [round(value, 4) for value in corners]


@dataclass(frozen=True, slots=True)
class Word:
    text: str
    rect: Rect
    size: float


@dataclass(frozen=True, slots=True)
class Line:
    words: tuple[Word, ...]
    rect: Rect
    size: float

    @staticmethod
    def of(words: Sequence[Word]) -> Line:
        return Line(tuple(words), Rect.around([w.rect for w in words]), max(w.size for w in words))

    @property
    def text(self) -> str:
        return " ".join(word.text for word in self.words)

    @property
    def columns(self) -> int:
        return 1 + sum(self._is_gap(index) for index in range(1, len(self.words)))

    def cells(self) -> list[Line]:
        """The line cut where the gap between two words is far wider than a space."""
        cells = [[self.words[0]]]
        for index, word in enumerate(self.words[1:], 1):
            if self._is_gap(index):
                cells.append([])
            cells[-1].append(word)
        return [Line.of(words) for words in cells]

    def _is_gap(self, index: int) -> bool:
        gap = self.words[index].rect.x0 - self.words[index - 1].rect.x1
        return gap > 1.5 * self.size / _POINTS


@dataclass(frozen=True, slots=True)
class PageLines:
    number: int
    width: float
    height: float
    lines: tuple[Line, ...]


def page_count(pdf: bytes) -> int:
    with _ONE_AT_A_TIME:
        return len(_opened(pdf))


def read_pages(pdf: bytes, numbers: Sequence[int]) -> list[PageLines]:
    """The asked pages (counted from 1) that exist."""
    with _ONE_AT_A_TIME:
        document = _opened(pdf)
        return [_page(document, number) for number in numbers if 1 <= number <= len(document)]


def _opened(pdf: bytes) -> Any:
    try:
        return _pdfium.PdfDocument(pdf)
    except _pdfium.PdfiumError as error:
        raise Unreadable(str(error)) from error


def _page(document: Any, number: int) -> PageLines:
    page = document[number - 1]
    width, height = page.get_size()
    text = page.get_textpage()
    codes: list[int] = [_pdfium_c.FPDFText_GetUnicode(text, i) for i in range(text.count_chars())]
    lines: list[list[Word]] = [[]]
    begin = 0
    for index, code in enumerate([*codes, 10]):
        if code and not chr(code).isspace():
            continue
        if begin < index:
            lines[-1].append(_word(page, text, codes, begin, index - 1))
        if code in (10, 13):
            lines.append([])
        begin = index + 1
    found = tuple(Line.of(words) for words in lines if words)
    return PageLines(number, width / _POINTS, height / _POINTS, found)


def _word(page: Any, text: Any, codes: Sequence[int], begin: int, end: int) -> Word:
    """The word between two characters; its place is told by them alone, for text runs level."""
    left, _, _, top = page.get_cropbox()
    boxes = [text.get_charbox(index, loose=True) for index in (begin, end)]
    rects = [
        Rect((x0 - left) / _POINTS, (top - y1) / _POINTS, (x1 - left) / _POINTS, (top - y0) / _POINTS)
        for x0, y0, x1, y1 in boxes
    ]
    letters = ("-" if code == _SOFT_HYPHEN else chr(code) for code in codes[begin : end + 1])
    return Word("".join(letters), Rect.around(rects), _pdfium_c.FPDFText_GetFontSize(text, begin))
