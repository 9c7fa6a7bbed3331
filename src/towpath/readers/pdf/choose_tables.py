"""Decides for each table of a page whether its ruled lines or liteparse's rules give the rows.

Ruled lines give better rows where they frame all cells. They are ignored where they frame only a part of the table that
liteparse found, for example when the row labels are outside the frame.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from towpath.readers.pdf.item_tables import find_item_tables
from towpath.readers.pdf.page_layout import Line, PageLayout, Rectangle, TextRun, text_lines
from towpath.readers.pdf.ruled_tables import RuledTable, find_ruled_tables, is_inside

if TYPE_CHECKING:
    from liteparse.types import AnnotationRect, LayoutBlock

# Text beside the frame, at most this share: more is a column of row labels outside the frame.
_MAX_SIDE_SHARE = 0.1
# Text above, between and below the frames, at most this share: more is a second table without lines.
_MAX_LEFT_OVER_SHARE = 0.5
# A block belongs to a table if this share of its area is inside, and does not if less than the other is.
_INSIDE_SHARE, _OUTSIDE_SHARE = 0.75, 0.2

Content = RuledTable | Line


@dataclass(frozen=True, slots=True)
class PageTables:
    """What replaces blocks of liteparse, by their index: ruled tables, and lines of text between them."""

    contents: Mapping[int, Sequence[Content]]


def choose_ruled_tables(blocks: Sequence[LayoutBlock], layout: PageLayout) -> PageTables:
    """The ruled tables that replace blocks of liteparse; a replaced block without contents is dropped."""
    ruled, items = find_ruled_tables(layout), find_item_tables(layout)
    contents: dict[int, Sequence[Content]] = {}
    if not ruled and not items:
        return PageTables(contents)
    rectangles = {
        index: _rectangle(block.bbox)
        for index, block in enumerate(blocks)
        if block.bbox is not None and block.kind not in ("figure", "rule")
    }
    for index, rectangle in rectangles.items():
        if blocks[index].kind == "table":
            inside = [table for table in ruled if _shared_area(table.box, rectangle) > 0.5]
            if inside and (replacement := _replacement(inside, rectangle, layout)) is not None:
                contents[index] = replacement
            elif inside:
                ruled = [table for table in ruled if table not in inside]
    placed = {id(item) for items in contents.values() for item in items}
    for table in ruled:
        replaced = _blocks_inside(table, {key: box for key, box in rectangles.items() if key not in contents})
        if replaced is None:
            continue
        contents |= dict.fromkeys(replaced, ())
        if replaced and id(table) not in placed:
            contents[replaced[0]] = (table,)
    free = {index: box for index, box in rectangles.items() if index not in contents}
    placed_boxes = [item.box for parts in contents.values() for item in parts if isinstance(item, RuledTable)]
    for table in items:
        if any(_shared_area(box, table.box) > 0 for box in placed_boxes):
            continue
        replaced = _blocks_inside(table, free)
        if replaced and all(_has_fewer_rows(blocks[index], table) for index in replaced):
            contents |= dict.fromkeys(replaced, ())
            contents[replaced[0]] = (table,)
    return PageTables(contents)


def _has_fewer_rows(block: LayoutBlock, table: RuledTable) -> bool:
    """True if the block is no table, or one with fewer rows or columns than the table of items."""
    if block.kind != "table":
        return True
    rows = [block.header, *(block.rows or [])] if block.header else block.rows or []
    columns = max(map(len, rows), default=0)
    return columns < len(table.rows[0]) or (columns == len(table.rows[0]) and len(rows) < len(table.rows))


def _replacement(
    tables: Sequence[RuledTable], rectangle: Rectangle, layout: PageLayout
) -> Sequence[Content] | None:
    """The tables of one block with the lines between them; None if the frames contain only a part of the table."""
    runs = [run for run in layout.runs if is_inside(run, rectangle)]
    left_over = [run for run in runs if not any(is_inside(run, table.box) for table in tables)]
    beside = [run for run in left_over if any(_is_beside(run, table.box) for table in tables)]
    length = sum(len(run.text) for run in runs)
    if (
        sum(len(run.text) for run in beside) > _MAX_SIDE_SHARE * length
        or sum(len(run.text) for run in left_over) > _MAX_LEFT_OVER_SHARE * length
    ):
        return None
    contents: list[tuple[float, Content]] = [(table.box[1], table) for table in tables]
    contents += [(line[0].y0, line) for line in text_lines(left_over)]
    return [content for _, content in sorted(contents, key=lambda item: item[0])]


def _blocks_inside(table: RuledTable, rectangles: Mapping[int, Rectangle]) -> list[int] | None:
    """The blocks inside a table; None if another is partly inside, since its text would appear twice."""
    inside: list[int] = []
    for index, rectangle in rectangles.items():
        share = _shared_area(rectangle, table.box)
        if share >= _INSIDE_SHARE:
            inside.append(index)
        elif share > _OUTSIDE_SHARE:
            return None
    return inside


def _is_beside(run: TextRun, box: Rectangle) -> bool:
    return box[1] <= (run.y0 + run.y1) / 2 <= box[3]


def has_rules(layout: PageLayout, box: AnnotationRect, row_count: int) -> bool:
    """True if lines are drawn between most rows of a table, or above, below and under its header."""
    inside = {
        round(edge.position / 3)
        for edge in layout.horizontal
        if box.y - 8 <= edge.position <= box.y + box.height + 8
        and min(edge.end, box.x + box.width) - max(edge.start, box.x) > 0.6 * box.width
    }
    return len(inside) >= min(3, max(2, row_count))


def _rectangle(box: AnnotationRect) -> Rectangle:
    return (box.x, box.y, box.x + box.width, box.y + box.height)


def _shared_area(inner: Rectangle, outer: Rectangle) -> float:
    """The share of the inner rectangle's area that is in the outer one."""
    width = min(inner[2], outer[2]) - max(inner[0], outer[0])
    height = min(inner[3], outer[3]) - max(inner[1], outer[1])
    area = max(0.1, inner[2] - inner[0]) * max(0.1, inner[3] - inner[1])
    return max(0.0, width) * max(0.0, height) / area
