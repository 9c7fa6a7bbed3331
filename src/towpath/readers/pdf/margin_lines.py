"""Separates a running header or footer that liteparse joined with the paragraph next to it.

The header is a line in the margin of the page, with more space to the next line than the other lines have.
"""

from __future__ import annotations

from itertools import pairwise
from statistics import median

from towpath.readers.pdf.page_layout import Line, PageLayout, text_lines

_MARGIN = 0.13
# The space between a header and the text, in font sizes and as a multiple of that between the other lines.
_MIN_SPACE = 0.45
_SPACE_RATIO = 1.6
_MAX_HEADER_LENGTH = 120


def split_margin_line(
    layout: PageLayout, x: float, y: float, width: float, height: float, *, at_top: bool
) -> tuple[list[Line], list[Line]] | None:
    """The header and the other lines of a block in their order; None if the block does not contain a header."""
    in_margin = y <= _MARGIN * layout.height if at_top else y + height >= (1 - _MARGIN) * layout.height
    if not in_margin or height < 20:
        return None
    lines: list[Line] = list(text_lines(layout.runs_inside(x, y, width, height)))
    if len(lines) < 2:
        return None
    spaces = [lower[0].y0 - upper[0].y1 for upper, lower in pairwise(lines)]
    space, others = (spaces[0], spaces[1:]) if at_top else (spaces[-1], spaces[:-1])
    header = lines[0] if at_top else lines[-1]
    usual = max(0.1, median(others)) if others else 0.3 * header[0].size
    if space < _MIN_SPACE * header[0].size or space < _SPACE_RATIO * usual:
        return None
    if sum(len(run.text) for run in header) > _MAX_HEADER_LENGTH:
        return None
    return (lines[:1], lines[1:]) if at_top else (lines[:-1], lines[-1:])
