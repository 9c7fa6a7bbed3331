"""Corrects blocks that the engine got wrong: labels as headings, divided paragraphs, long list items."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import pairwise

from towpath.model.content import Box
from towpath.readers.pdf.join_lines import join_lines
from towpath.readers.pdf.page_layout import Line, PageLayout, Rectangle, line_text, runs_rectangle, text_lines
from towpath.readers.pdf.page_model import PageBlock

_MIN_HEADING_WORDS = 6
_SENTENCE_END = re.compile(r"[.!?:;][\"'”’)\]*]*$")
_SINGLE_LINE_HEIGHT = 0.03
#: A large initial letter is taller, as a share of the page.
_MIN_INITIAL_HEIGHT = 0.02
_MIN_LINE_WORDS = 8
# Space between two lines of one paragraph, in line heights.
_MAX_LINE_SPACE = 1.2
_MARGIN = 0.02


def mend_blocks(blocks: Iterable[PageBlock]) -> list[PageBlock]:
    """The blocks with real headings only, and with whole paragraphs."""
    mended: list[PageBlock] = []
    for block in blocks:
        previous = mended[-1] if mended else None
        if previous is not None and _is_first_line(previous, block):
            mended[-1] = replace(previous, kind="paragraph", level=0)
            previous = mended[-1]
            if block.kind == "paragraph":
                mended[-1] = _joined(previous, block)
                continue
        if previous is not None and _is_initial(previous, block):
            initial = previous.text.strip("* ")
            mended[-1] = replace(block, text=f"{initial}{block.text}", box=_joined(previous, block).box)
            continue
        if previous is not None and (_are_torn(previous, block) or _continues_item(previous, block)):
            mended[-1] = _joined(previous, block)
            continue
        mended.append(block)
    return _without_labels(mended)


def _is_first_line(heading: PageBlock, following: PageBlock) -> bool:
    """True if a heading is the first line of a paragraph: a sentence that the next block continues."""
    if heading.kind != "heading" or following.kind not in ("paragraph", "heading"):
        return False
    text = heading.text.rstrip("* ")
    continues = following.text.lstrip("* ")[:1].islower()
    return continues and (text.endswith(("-", ",")) or len(text.split()) >= _MIN_HEADING_WORDS)


def _is_initial(first: PageBlock, second: PageBlock) -> bool:
    """True if the first block is a large initial letter of the second, beside its first lines."""
    letter = first.text.strip("* ")
    if len(letter) != 1 or not letter.isupper() or second.kind != "paragraph":
        return False
    if first.kind not in ("paragraph", "heading") or first.box is None or second.box is None:
        return False
    is_large = first.box.y1 - first.box.y0 > _MIN_INITIAL_HEIGHT
    is_beside = is_large and first.box.y0 < second.box.y1 and second.box.y0 < first.box.y1
    return is_beside and second.text[:1].islower() and first.box.x0 <= second.box.x0 + _MARGIN


def _are_torn(first: PageBlock, second: PageBlock) -> bool:
    """True if both are lines of one paragraph: full lines of prose at one margin, one line apart."""
    if first.kind != "paragraph" or second.kind != "paragraph" or first.box is None or second.box is None:
        return False
    height = second.box.y1 - second.box.y0
    space = second.box.y0 - first.box.y1
    if not (0 < height < _SINGLE_LINE_HEIGHT and -0.2 * height < space < _MAX_LINE_SPACE * height):
        return False
    is_indented = _MARGIN <= first.box.x0 - second.box.x0 < 0.06
    same_margin = abs(first.box.x0 - second.box.x0) < _MARGIN or is_indented
    is_full = first.box.x1 > second.box.x1 - _MARGIN
    if not (same_margin and is_full and _is_prose(first.text)):
        return False
    starts_small = second.text.lstrip("* ")[:1].islower()
    return starts_small or (_is_prose(second.text) and not _SENTENCE_END.search(first.text.rstrip()))


def _continues_item(item: PageBlock, following: PageBlock) -> bool:
    """True if a paragraph is the rest of a list item: it goes on in small letters, without space above it."""
    if item.kind != "list" or following.kind != "paragraph" or item.box is None or following.box is None:
        return False
    height = min(item.box.y1 - item.box.y0, following.box.y1 - following.box.y0, _SINGLE_LINE_HEIGHT)
    is_next = -0.2 * height < following.box.y0 - item.box.y1 < 0.6 * height
    is_inside = item.box.x0 - 0.005 < following.box.x0 < item.box.x1
    goes_on = following.text.lstrip("* ")[:1].islower() and not _SENTENCE_END.search(item.text.rstrip())
    return is_next and is_inside and goes_on


def _is_prose(text: str) -> bool:
    """True if the text is mostly words: the row of a table has numbers."""
    words = text.split()
    return len(words) >= _MIN_LINE_WORDS and sum(map(str.isdigit, text)) * 8 < len(text)


def _joined(first: PageBlock, second: PageBlock) -> PageBlock:
    boxes = [box for box in (first.box, second.box) if box is not None]
    box = _around(boxes) if boxes else None
    return replace(
        first, text=join_lines([first.text, second.text]), box=box, bold=first.bold and second.bold
    )


def _around(boxes: Sequence[Box]) -> Box:
    return Box(
        min(box.x0 for box in boxes),
        min(box.y0 for box in boxes),
        max(box.x1 for box in boxes),
        max(box.y1 for box in boxes),
    )


def _without_labels(blocks: list[PageBlock]) -> list[PageBlock]:
    """Headings beside each other are the labels of a form or the heads of columns, and become bold text."""
    labels: set[int] = set()
    for index, (first, second) in enumerate(pairwise(blocks)):
        if first.kind == second.kind == "heading" and _are_beside(first.box, second.box):
            labels |= {index, index + 1}
    return [
        replace(block, kind="paragraph", level=0, bold=True) if index in labels else block
        for index, block in enumerate(blocks)
    ]


def _are_beside(first: Box | None, second: Box | None) -> bool:
    if first is None or second is None:
        return False
    overlap = min(first.y1, second.y1) - max(first.y0, second.y0)
    is_apart = first.x1 <= second.x0 or second.x1 <= first.x0
    return is_apart and overlap > 0.5 * min(first.y1 - first.y0, second.y1 - second.y0)


def split_list_item(layout: PageLayout, rectangle: Rectangle) -> tuple[list[Line], list[Line]] | None:
    """The lines of a list item, and those of the paragraph behind it, which begins left of the bullet."""
    x0, y0, x1, y1 = rectangle
    lines = text_lines(layout.runs_inside(x0, y0, x1 - x0, y1 - y0))
    if len(lines) < 2:
        return None
    bullet = lines[0][0].x0
    for index, line in enumerate(lines[1:], start=1):
        if line[0].x0 < bullet - 0.4 * line[0].size:
            return list(lines[:index]), list(lines[index:])
    return None


def lines_text(lines: Sequence[Line]) -> tuple[str, Rectangle]:
    """The text of lines as one paragraph, and the rectangle around them."""
    return join_lines([line_text(line) for line in lines]), runs_rectangle(
        [run for line in lines for run in line]
    )
