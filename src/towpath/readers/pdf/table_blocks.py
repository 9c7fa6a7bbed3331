"""Converts liteparse's tables: to tables, lists, code or the text that was cut into cells."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from towpath.model.content import Box
from towpath.readers.pdf.block_boxes import rect_box, rectangle, rectangle_box
from towpath.readers.pdf.choose_tables import has_rules
from towpath.readers.pdf.classify_tables import (
    are_terms,
    classify_rows,
    fenced_code,
    is_list,
    list_items,
    render_rows,
)
from towpath.readers.pdf.code_blocks import CodeFinder, code_text, prose_text
from towpath.readers.pdf.false_tables import (
    CellRows,
    is_crossed,
    is_cut,
    text_parts,
    text_rectangle,
    without_bullet,
    without_sentences,
)
from towpath.readers.pdf.mend_blocks import lines_text
from towpath.readers.pdf.page_layout import Line, PageLayout, Rectangle, line_text, runs_rectangle, text_lines
from towpath.readers.pdf.page_model import PageBlock, normalize_text
from towpath.readers.pdf.printed_lines import divide_lines
from towpath.readers.pdf.table_evidence import find_evidence, is_listing
from towpath.readers.pdf.term_lists import find_terms

if TYPE_CHECKING:
    from liteparse.types import LayoutBlock, LayoutCell, ParsedPage


def convert_table(
    block: LayoutBlock, page: ParsedPage, layout: PageLayout, page_count: int
) -> Iterator[PageBlock]:
    rows, rect = _rows(block), block.bbox
    if rect is None:
        yield from table_blocks(_cell_texts(rows), None, page.page_num, page_count)
        return
    runs = layout.runs_inside(rect.x, rect.y, rect.width, rect.height)
    is_ruled = has_rules(layout, rect, len(rows)) and not is_listing(runs, layout)
    terms = [] if is_ruled else find_terms(text_lines(runs))
    if terms:
        for term in terms:
            text = f"**{line_text(term.term)}** {prose_text(term.lines)}"
            yield PageBlock("list", text, rectangle_box(runs_rectangle(term.runs), page), marker="-")
        return
    if is_crossed(rows, layout) or (is_cut(rows, runs) and not is_list(_cell_texts(rows))):
        yield from _torn_blocks(rows, rectangle(rect), page, layout)
        return
    above, rows, below = ((), rows, ()) if is_ruled else without_sentences(rows, runs)
    top = min((cell.bbox.y for row in rows for cell in row if cell.bbox is not None), default=rect.y)
    bottom = max(
        (cell.bbox.y + cell.bbox.height for row in rows for cell in row if cell.bbox is not None),
        default=rect.y + rect.height,
    )
    x1 = rect.x + rect.width
    runs = layout.runs_inside(rect.x, top, rect.width, bottom - top)
    evidence = "table" if is_ruled else find_evidence(rows, runs, layout)
    if above:
        yield from _torn_blocks((), (rect.x, rect.y, x1, top), page, layout)
    if evidence == "code":
        place = (rect.x, top, rect.width, bottom - top)
        yield from divided_blocks(
            CodeFinder(layout).divide(*place) or [(True, text_lines(runs))], page, layout
        )
    else:
        yield from table_blocks(
            _cell_texts(rows),
            rectangle_box((rect.x, top, x1, bottom), page) if above or below else rect_box(rect, page),
            page.page_num,
            page_count,
            torn_rows=sum(map(_is_torn, rows)),
            is_ruled=is_ruled,
            is_doubtful=evidence == "text",
        )
    if below:
        yield from _torn_blocks((), (rect.x, bottom, x1, rect.y + rect.height), page, layout)


def table_blocks(
    rows: Sequence[Sequence[str]],
    box: Box | None,
    page: int,
    page_count: int,
    *,
    torn_rows: int = 0,
    is_ruled: bool = False,
    is_doubtful: bool = False,
) -> Iterator[PageBlock]:
    """The rows as a table, or as the text that they are; ``is_doubtful`` says that nothing speaks for a table."""
    rows = [row for row in rows if any(row)]
    if not rows:
        return
    shape = classify_rows(rows, page, page_count, torn_rows=torn_rows, is_ruled=is_ruled)
    if shape == "table" and is_doubtful:
        shape = "list" if are_terms(rows) else "lines"
    if shape == "list":
        for marker, text in list_items(rows):
            yield PageBlock("list" if marker else "paragraph", text, box, marker=marker)
        return
    kind = shape if shape in ("table", "code") else "paragraph"
    texts = [render_rows(rows, shape)]
    if shape in ("section", "cells", "notes"):
        # The outline finds a title only in a block of its own.
        texts = texts[0].split("\n\n")
    for text in texts:
        yield PageBlock(kind, text, box)


def _torn_blocks(
    rows: CellRows, rectangle: Rectangle, page: ParsedPage, layout: PageLayout
) -> Iterator[PageBlock]:
    """The headings, paragraphs, list items and code that were cut into the cells of a table."""
    x0, y0, x1, y1 = text_rectangle(rows, rectangle)
    place = (x0, y0, x1 - x0, y1 - y0)
    parts = CodeFinder(layout).divide(*place) or [(False, text_lines(layout.runs_inside(*place)))]
    for is_code, lines in parts:
        if is_code:
            yield from divided_blocks([(True, lines)], page, layout)
            continue
        for kind, part, level in text_parts(lines) if lines else ():
            text, rectangle = lines_text(part)
            text = without_bullet(text) if kind == "list" else text
            if text:
                yield PageBlock(kind, text, rectangle_box(rectangle, page), level)


def divided_blocks(
    parts: Sequence[tuple[bool, Sequence[Line]]], page: ParsedPage, layout: PageLayout
) -> list[PageBlock]:
    blocks: list[PageBlock] = []
    for is_code, lines in parts:
        if is_code:
            box = rectangle_box(runs_rectangle([run for line in lines for run in line]), page)
            blocks.append(PageBlock("code", fenced_code(list(code_text(lines))), box, is_monospace=True))
            continue
        blocks += (
            PageBlock("paragraph", text, rectangle_box(area, page))
            for text, area in divide_lines(lines, layout)
            if text
        )
    return blocks


def has_columns(block: LayoutBlock) -> bool:
    """True if a row of the table has two cells with text: a frame around code looks like a table of one column."""
    return any(sum(1 for cell in row if cell.text.strip()) > 1 for row in _rows(block))


def _rows(block: LayoutBlock) -> CellRows:
    return [block.header, *(block.rows or [])] if block.header else block.rows or []


def _cell_texts(rows: CellRows) -> list[list[str]]:
    return [[normalize_text(cell.text).strip() for cell in row] for row in rows]


def _is_torn(row: Sequence[LayoutCell]) -> bool:
    """True if cells were cut out of one text run: their boxes have no width, and the cut is a guess."""
    cell_lengths = [
        len(cell.text) for cell in row if cell.text and cell.bbox is not None and cell.bbox.width < 1
    ]
    return len(cell_lengths) > 1 and sum(cell_lengths) >= 40
