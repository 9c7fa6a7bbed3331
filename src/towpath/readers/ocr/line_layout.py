"""Makes blocks of recognized text: line by line on receipts and forms, column by column on pages of prose.

A page is read in columns only where both sides of an empty strip consist of full lines of prose; a label on the left
and its value on the right stay on one line.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from statistics import median

from towpath.readers.ocr.deskew import box_on_page
from towpath.readers.ocr.ocr_result import Rectangle, Segment, enclosing
from towpath.readers.pdf.page_model import PageBlock, normalize_text

Row = list[Segment]

_MIN_COLUMN_LINES = 6
_PROSE_WORDS = 4
_ENDS_SENTENCE = (".", "!", "?", ":")
LINE_BREAK = "  \n"


def layout_blocks(
    segments: Sequence[Segment], width: float, height: float, skew: float = 0.0
) -> list[PageBlock]:
    """The blocks of a page in reading order; boxes are fractions of the page before it was leveled by ``skew``."""
    usual_height = median([segment.box.height for segment in segments]) if segments else 0.0
    blocks: list[PageBlock] = []
    for column in _columns(list(segments), width):
        rows = group_rows(column)
        right = max(segment.box.x1 for segment in column)
        left = min(segment.box.x0 for segment in column)
        for lines in _near_rows(rows):
            block = _block(lines, (left, right), usual_height)
            area = enclosing([segment.box for row in lines for segment in row])
            blocks.append(replace(block, box=box_on_page(area, skew, width, height)))
    return blocks


def group_rows(segments: Sequence[Segment]) -> list[Row]:
    """Segments at the same height as one row, from left to right; rows from top to bottom."""
    rows: list[Row] = []
    for segment in sorted(segments, key=lambda segment: segment.box.center_y):
        row = next((row for row in reversed(rows[-4:]) if _is_in_row(segment, row)), None)
        if row is None:
            rows.append([segment])
        else:
            row.append(segment)
    for row in rows:
        row.sort(key=lambda segment: segment.box.x0)
    return sorted(rows, key=lambda row: median(segment.box.center_y for segment in row))


def _is_in_row(segment: Segment, row: Row) -> bool:
    """True if the segment is beside its nearest neighbour of the row, not above or below it."""
    nearest = min(row, key=lambda other: abs(other.box.x0 - segment.box.x0))
    overlap = min(nearest.box.y1, segment.box.y1) - max(nearest.box.y0, segment.box.y0)
    beside = all(_horizontal_overlap(other.box, segment.box) < 0.3 for other in row)
    return beside and overlap > 0.5 * min(nearest.box.height, segment.box.height)


def _horizontal_overlap(first: Rectangle, second: Rectangle) -> float:
    """The common width as a share of the narrower rectangle."""
    common = min(first.x1, second.x1) - max(first.x0, second.x0)
    return common / max(1.0, min(first.width, second.width))


def _columns(segments: list[Segment], width: float) -> list[list[Segment]]:
    """The columns of prose from left to right, each with the full-width lines above it; else one column."""
    split = _gutter(segments, width)
    if split is None:
        return [segments] if segments else []
    crossing = [s for s in segments if s.box.x0 < split - 0.02 * width and s.box.x1 > split + 0.02 * width]
    columns: list[list[Segment]] = []
    rest = [segment for segment in segments if segment not in crossing]
    # A full-width line (a heading, a caption) separates the columns above it from those below it.
    limits = [s.box.center_y for s in sorted(crossing, key=lambda s: s.box.center_y)]
    previous = float("-inf")
    for limit in [*limits, float("inf")]:
        band = [segment for segment in rest if previous < segment.box.center_y <= limit]
        columns += [[s for s in band if s.box.x0 < split], [s for s in band if s.box.x0 >= split]]
        columns.append([segment for segment in crossing if segment.box.center_y == limit])
        previous = limit
    return [column for column in columns if column]


def _gutter(segments: Sequence[Segment], width: float) -> float | None:
    """The x position of an empty strip between two columns of prose; None if there is none."""
    prose = [s for s in segments if len(s.words) >= _PROSE_WORDS and s.box.width > 0.2 * width]
    if len(prose) < 2 * _MIN_COLUMN_LINES or len(prose) < 0.5 * len(segments):
        return None
    for share in range(30, 71, 2):
        split = width * share / 100
        left = [s for s in prose if s.box.x1 <= split + 0.01 * width]
        right = [s for s in prose if s.box.x0 >= split - 0.01 * width]
        crossing = len(prose) - len(left) - len(right)
        if (
            min(len(left), len(right)) >= _MIN_COLUMN_LINES
            and crossing <= 0.15 * len(prose)
            and _vertical_overlap(left, right) > 0.5
        ):
            return split
    return None


def _vertical_overlap(left: Sequence[Segment], right: Sequence[Segment]) -> float:
    first, second = enclosing([s.box for s in left]), enclosing([s.box for s in right])
    common = min(first.y1, second.y1) - max(first.y0, second.y0)
    return common / max(1.0, min(first.height, second.height))


def _near_rows(rows: Sequence[Row]) -> Iterator[list[Row]]:
    """Groups of rows with little space between them and letters of the same height."""
    group: list[Row] = []
    for row in rows:
        if group:
            above, box = enclosing([s.box for s in group[-1]]), enclosing([s.box for s in row])
            gap = box.y0 - above.y1
            ratio = box.height / max(1.0, above.height)
            if gap > 0.9 * min(above.height, box.height) or not 0.62 < ratio < 1.6:
                yield group
                group = []
        group.append(row)
    if group:
        yield group


def _block(rows: Sequence[Row], extent: tuple[float, float], usual_height: float) -> PageBlock:
    parts: list[str] = []
    for index, row in enumerate(rows):
        text = normalize_text(" ".join(segment.text for segment in row)).strip()
        if index and _continues(rows[index - 1], row, extent):
            parts[-1] = f"{parts[-1]} {text}"
        else:
            parts.append(text)
    line_height = median(segment.box.height for row in rows for segment in row)
    text = LINE_BREAK.join(parts)
    if _is_heading(text, line_height, usual_height, rows):
        return PageBlock("heading", text.replace(LINE_BREAK, " "), level=2, size=line_height)
    return PageBlock("paragraph", text, size=line_height)


def _continues(previous: Row, row: Row, extent: tuple[float, float]) -> bool:
    """True if the row is the next line of the same paragraph of prose."""
    if len(previous) != 1 or len(row) != 1 or len(previous[0].words) < _PROSE_WORDS:
        return False
    left, right = extent
    is_full_line = previous[0].box.x1 > right - 0.12 * (right - left)
    same_left = abs(previous[0].box.x0 - row[0].box.x0) < 1.5 * row[0].box.height
    return is_full_line and same_left and not previous[0].text.endswith(_ENDS_SENTENCE)


def _is_heading(text: str, line_height: float, usual_height: float, rows: Sequence[Row]) -> bool:
    letters = sum(map(str.isalpha, text))
    return (
        line_height > 1.35 * usual_height
        and len(rows) <= 2
        and all(len(row) == 1 for row in rows)
        and letters >= 4
        and letters * 10 >= len(text) * 6
        and not text[0].islower()
        and not text.endswith((",", ".", ";"))
    )
