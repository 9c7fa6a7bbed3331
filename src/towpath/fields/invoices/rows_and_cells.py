"""Arranges the words of a page in rows and cells: words on one line, separated where the space is wide.

Words with boxes come from PDF and OCR. Other documents have no places on a page: their rows are the lines of the
markdown, and their cells the cells of tables.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from towpath.fields.invoices.recognized_lines import (
    Direction,
    as_shown,
    direction_of,
    recognized_lines,
    turned,
)
from towpath.model.content import Box, Extraction, Page, Word

#: Cells are separated by at least this many line heights.
_CELL_GAP = 1.1
_A4 = 1.414
_MAX_ROWS = 600
#: At least so many single letters side by side are one word.
_MIN_SPACED_LETTERS = 4
_MARKUP = re.compile(r"\*\*|__|^#{1,6}\s+|^\s*[-*+]\s+|\\(?=[\\`*_{}\[\]()#+\-.!|>])")


@dataclass(frozen=True, slots=True)
class Cell:
    """Words that stand together. ``box`` has x and y in fractions of the upright page."""

    text: str
    page: int
    box: Box
    confidence: float = 1.0
    #: Where the text runs to on the page as shown.
    direction: Direction = "right"

    @property
    def shown_box(self) -> Box:
        """The box on the page as shown, which may have been scanned sideways."""
        return as_shown(self.box, self.direction)

    @property
    def height(self) -> float:
        return self.box.y1 - self.box.y0


@dataclass(frozen=True, slots=True)
class Row:
    """Cells at the same height, from left to right."""

    cells: tuple[Cell, ...]

    @property
    def text(self) -> str:
        return " ".join(cell.text for cell in self.cells)

    @property
    def page(self) -> int:
        return self.cells[0].page

    @property
    def top(self) -> float:
        return min(cell.box.y0 for cell in self.cells)

    @property
    def bottom(self) -> float:
        return max(cell.box.y1 for cell in self.cells)


def document_rows(extraction: Extraction) -> list[Row]:
    """The rows of the document in reading order; of long documents the first ones."""
    if extraction.words:
        rows = list(_rows_of_words(extraction.words, extraction.pages))
    else:
        rows = list(_rows_of_text(extraction.markdown))
    return rows[:_MAX_ROWS]


def _rows_of_words(words: Sequence[Word], pages: Sequence[Page]) -> Iterator[Row]:
    ratios = {page.number: page.height / page.width for page in pages if page.width and page.height}
    for number, group in groupby(words, key=lambda word: word.page):
        page_words, ratio = list(group), ratios.get(number, _A4)
        if page_words[0].confidence is None:
            for line in _lines(page_words):
                yield Row(tuple(_cells(line, ratio)))
            continue
        direction = direction_of(page_words, ratio)
        ratio = 1 / ratio if direction in ("up", "down") else ratio
        for line in recognized_lines(turned(page_words, direction), ratio):
            yield Row(tuple(replace(cell, direction=direction) for cell in _cells(line, ratio)))


class _Line:
    """The words of a line from left to right; words at the same place in the order in which they were added."""

    def __init__(self, word: Word) -> None:
        self.words = [word]
        self._starts = [word.box.x0]

    def add(self, word: Word) -> None:
        place = bisect_right(self._starts, word.box.x0)
        self._starts.insert(place, word.box.x0)
        self.words.insert(place, word)

    def overlaps(self, word: Word) -> bool:
        """Whether the nearest word of the line overlaps this one by half its height."""
        nearest = self._nearest(word.box.x0)
        overlap = min(nearest.box.y1, word.box.y1) - max(nearest.box.y0, word.box.y0)
        return overlap > 0.5 * min(nearest.box.y1 - nearest.box.y0, word.box.y1 - word.box.y0)

    def _nearest(self, x: float) -> Word:
        """The word that starts nearest; of two at the same distance the left one."""
        starts = self._starts
        right = bisect_left(starts, x)
        if right == 0:
            return self.words[0]
        left = bisect_left(starts, starts[right - 1])
        is_right = right < len(starts) and starts[right] - x < x - starts[left]
        return self.words[right if is_right else left]


def _lines(words: list[Word]) -> list[list[Word]]:
    """Words of one page by line: a word joins the line whose nearest word it overlaps by half its height."""
    lines: list[_Line] = []
    for word in sorted(words, key=lambda word: word.box.y0 + word.box.y1):
        line = next((line for line in reversed(lines[-5:]) if line.overlaps(word)), None)
        if line is None:
            lines.append(_Line(word))
        else:
            line.add(word)
    ordered = [line.words for line in lines]
    return sorted(ordered, key=lambda line: sum(word.box.y0 + word.box.y1 for word in line) / len(line))


def _cells(line: Sequence[Word], ratio: float) -> Iterator[Cell]:
    """Split a line where the space is wide. ``ratio`` is height by width of the page."""
    group: list[Word] = []
    for word in line:
        if group:
            gap = word.box.x0 - group[-1].box.x1
            height = min(word.box.y1 - word.box.y0, group[-1].box.y1 - group[-1].box.y0)
            if gap > _CELL_GAP * height * ratio:
                yield _cell(group)
                group = []
        group.append(word)
    if group:
        yield _cell(group)


def _cell(words: Sequence[Word]) -> Cell:
    box = enclosing(word.box for word in words)
    confidences = [word.confidence for word in words if word.confidence is not None]
    confidence = min(confidences) if confidences else 1.0
    return Cell(_joined([word.text for word in words]), words[0].page, box, confidence)


def _joined(texts: Sequence[str]) -> str:
    """The text of the words; a word whose letters are set apart ("F A C T U R E") is one word."""
    if len(texts) >= _MIN_SPACED_LETTERS and all(len(text) == 1 and text.isalpha() for text in texts):
        return "".join(texts)
    return " ".join(texts)


def enclosing(boxes: Iterable[Box]) -> Box:
    """The smallest box around these."""
    edges = [(box.x0, box.y0, box.x1, box.y1) for box in boxes]
    x0, y0, x1, y1 = zip(*edges, strict=True)
    return Box(min(x0), min(y0), max(x1), max(y1))


def _rows_of_text(markdown: str) -> Iterator[Row]:
    """Rows of a text without places: one line is one unit high, the cells of a line share its width."""
    lines = [line for line in markdown.splitlines()[: 2 * _MAX_ROWS] if not re.fullmatch(r"[\s|:-]*", line)]
    for number, line in enumerate(lines):
        parts = [part.strip() for part in re.split(r"(?<!\\)\||\t| {3,}", line)]
        texts = [_MARKUP.sub("", part).strip() for part in parts if part]
        width = 1 / max(1, len(texts))
        top = number / max(1, len(lines))
        height = 0.8 / max(1, len(lines))
        cells = [
            Cell(text, 1, Box(index * width, top, (index + 0.9) * width, top + height))
            for index, text in enumerate(texts)
            if text
        ]
        if cells:
            yield Row(tuple(cells))
