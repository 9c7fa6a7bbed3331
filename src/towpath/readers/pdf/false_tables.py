"""Recognizes prose and code that liteparse cut into the cells of a table, and reads their lines again.

A numbered heading with a gap behind its number, or the shaded background of code, looks like the edge of a column. The
lines below have no gap there: the engine cuts them between two words, or in one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from statistics import median
from typing import TYPE_CHECKING, Literal, NamedTuple

from towpath.readers.pdf.page_layout import Line, PageLayout, Rectangle, TextRun, line_text

if TYPE_CHECKING:
    from liteparse.types import LayoutCell

CellRows = Sequence[Sequence["LayoutCell"]]
Kind = Literal["heading", "list", "paragraph"]

_MIN_TORN = 2
_MIN_LOWER = 3
_MIN_LINE_WORDS = 6
_PUNCTUATION = ".,;:!?()[]\"'“”"
# Of the text runs beside an edge of two columns, at least this share crosses it in a false table.
_CROSSING_SHARE = 0.2
_NUMBER = re.compile(r"((?:\d{1,3}|[A-Z])(?:\.\d{1,3})*)\.?\s+\S")
_SECTION_NUMBER = re.compile(r"(?:\d{1,3}|[A-Z])(?:\.\d{1,3})+\.?")
_BULLET = re.compile(r"[•▪◦‣●○■□➢✓]\s*")
# A heading is higher than the text by this factor, or bold.
_HEADING_SIZE = 1.15
# Space above a paragraph, in heights of a line.
_PARAGRAPH_SPACE = 0.7
# A line that ends this many heights before the right margin is the last one of its paragraph.
_SHORT_LINE = 4.0


class TextPart(NamedTuple):
    """Lines that form one block; ``level`` is that of a heading."""

    kind: Kind
    lines: list[Line]
    level: int = 0


def is_cut(rows: CellRows, runs: Sequence[TextRun]) -> bool:
    """True if most rows were cut between two words; below a section number, one such row is enough."""
    pairs = [row for row in rows if sum(1 for cell in row if cell.text.strip()) > 1]
    cut = sum(1 for row in pairs if sum(1 for cell in row if cell.text.strip() and cell.bbox is None) > 1)
    if cut and _SECTION_NUMBER.fullmatch(rows[0][0].text.strip()):
        return True
    cut = max(cut, sum(_is_sentence(row, runs) for row in pairs))
    return cut >= _MIN_TORN and cut * 2 >= len(pairs)


def without_sentences(rows: CellRows, runs: Sequence[TextRun]) -> tuple[CellRows, CellRows, CellRows]:
    """The rows above, of and below the table: lines of text above and below were cut at its columns."""
    flags = [_is_sentence(row, runs) or _is_cut_line(row) for row in rows]
    first = next((index for index, flag in enumerate(flags) if not flag), 0)
    last = next((index for index in reversed(range(len(flags))) if not flags[index]), len(flags) - 1)
    return rows[:first], rows[first : last + 1], rows[last + 1 :]


def _is_cut_line(row: Sequence[LayoutCell]) -> bool:
    """True if a long line without numbers was cut at the columns: its cells have no place of their own."""
    cells = [cell for cell in row if cell.text.strip()]
    words = [word for cell in cells for word in cell.text.split()]
    return (
        len(cells) > 1
        and all(cell.bbox is None for cell in cells)
        and len(words) >= _MIN_LINE_WORDS
        and not any(map(str.isdigit, "".join(words)))
    )


def _is_sentence(row: Sequence[LayoutCell], runs: Sequence[TextRun]) -> bool:
    """True if the cells were cut out of one run of text that is mostly words in lower case."""
    cells = [cell.text for cell in row if cell.text.strip()]
    words = [word.strip(_PUNCTUATION) for cell in cells for word in cell.split()]
    lower = sum(1 for word in words if word.isalpha() and word.islower())
    if len(cells) < 2 or lower < _MIN_LOWER or lower * 2 < len(words):
        return False
    joined = _compact("".join(cells))
    return any(joined in _compact(run.text) for run in runs if len(run.text) >= len(joined))


def is_crossed(rows: CellRows, layout: PageLayout) -> bool:
    """True if lines of text cross the edge of two columns: most of those in the first column, or many of all."""
    if any(len(row) != 2 for row in rows):
        return False
    divided = first = count = 0
    for left, right in rows:
        a, b = left.bbox, right.bbox
        if a is None or b is None or abs(a.x + a.width - b.x) > 1.5:
            return False
        cells = [_compact(left.text), _compact(right.text)]
        if not any(cells):
            continue
        for run in layout.runs_inside(a.x, a.y, a.width + b.width, a.height):
            # The line of a frame around text can be the edge, so that the text begins at it.
            is_divided = run.x0 < b.x + 3 < run.x1 and not any(_compact(run.text) in cell for cell in cells)
            divided += is_divided
            first += is_divided or run.x0 < b.x - 3
            count += 1
    if divided >= _MIN_TORN and divided >= _CROSSING_SHARE * count:
        return True
    return divided > 0 and divided * 2 >= first


def _compact(text: str) -> str:
    return "".join(text.split())


def text_rectangle(rows: CellRows, rectangle: Rectangle) -> Rectangle:
    """The part of the table's rectangle with text: empty rows lie over blocks of their own."""
    boxes = [cell.bbox for row in rows for cell in row if cell.text.strip()]
    if any(box is None for box in boxes):
        return rectangle
    tops = [box.y for box in boxes if box is not None]
    bottoms = [box.y + box.height for box in boxes if box is not None]
    return (rectangle[0], min(tops), rectangle[2], max(bottoms)) if tops else rectangle


def text_parts(lines: Sequence[Line]) -> list[TextPart]:
    """Lines of prose as headings, list items and paragraphs."""
    size = median(run.size for line in lines for run in line)
    right = max(line[-1].x1 for line in lines)
    parts: list[TextPart] = []
    previous: Line | None = None
    for line in lines:
        level = _heading_level(line, size)
        if level:
            parts.append(TextPart("heading", [line], level))
        elif _BULLET.match(line_text(line)):
            parts.append(TextPart("list", [line]))
        elif previous is None or parts[-1].kind == "heading" or _begins(line, previous, right):
            parts.append(TextPart("paragraph", [line]))
        else:
            parts[-1].lines.append(line)
        previous = line
    return parts


def without_bullet(text: str) -> str:
    return _BULLET.sub("", text, count=1)


def _heading_level(line: Line, size: float) -> int:
    """The level of a numbered heading, from its number; 0 if the line is none."""
    match = _NUMBER.match(line_text(line))
    if match is None or not (all(run.is_bold for run in line) or line[0].size >= _HEADING_SIZE * size):
        return 0
    return min(6, match[1].count(".") + 1)


def _begins(line: Line, previous: Line, right: float) -> bool:
    """True if a paragraph begins with this line: there is space above it, or the line before is short."""
    size = line[0].size
    if line[0].y0 - previous[0].y1 > _PARAGRAPH_SPACE * size:
        return True
    ends = line_text(previous).endswith((".", ":", "!", "?"))
    return ends and previous[-1].x1 < right - _SHORT_LINE * size
