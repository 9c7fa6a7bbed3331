"""Finds tables of items with amounts that have no lines: the items of an invoice, of an order, of an offer.

The engine reads such a table column by column, or joins its rows to paragraphs. Here a row is a line with an amount in
the last column and another number, below a header of as many names as there are columns. Lines between two rows belong
to the row above.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from towpath.readers.pdf.page_layout import Line, PageLayout, line_text, runs_rectangle, text_lines
from towpath.readers.pdf.ruled_tables import RuledTable

_CURRENCY = r"(?:[€$£¥₹]|[A-Z]{3}|kr|zł|Kč|Rs\.?)"
_SPACE = r"\s{0,3}+"
_AMOUNT = re.compile(
    rf"{_CURRENCY}?{_SPACE}[-+(]?{_SPACE}{_CURRENCY}?{_SPACE}\d{{1,3}}(?:[.,'’ ]?\d{{3}}){{0,6}}[.,]\d{{2}}"
    rf"{_SPACE}[-)]?{_SPACE}{_CURRENCY}?{_SPACE}\*?",
)
#: How every amount ends: most pages have none, and are not searched further.
_DECIMALS = re.compile(r"[.,]\d\d[^\w\n]{0,3}(?:[^\W\d]{1,3}\.?)?[*\s]*$", re.MULTILINE)
_NUMBER = re.compile(r"[-+(]?\d[\d.,'’ ]*\s*[%)]?(?:\s*\w{1,5}\.?)?|[-–—]")
#: A gap between two cells, in font sizes.
_GAP = 1.0
_MIN_COLUMNS, _MIN_ROWS = 3, 2
#: With so many names in the header, one row is enough.
_MIN_NAMES = 4
#: The amounts of the last column end within this distance, in points.
_TOLERANCE = 4.0
#: Lines between two rows; the header is at most so many lines above the first row.
_MAX_BETWEEN, _MAX_HEADER = 6, 5
#: Space between two lines of a table, in heights of a line.
_MAX_SPACE = 3.0
_MAX_HEADER_WORDS = 5


@dataclass(frozen=True, slots=True)
class _Cell:
    text: str
    x0: float
    x1: float


@dataclass(frozen=True, slots=True)
class _TextLine:
    cells: Sequence[_Cell]
    runs: Line

    @property
    def y0(self) -> float:
        return min(run.y0 for run in self.runs)

    @property
    def y1(self) -> float:
        return max(run.y1 for run in self.runs)

    @property
    def height(self) -> float:
        return self.runs[0].size


def find_item_tables(layout: PageLayout) -> list[RuledTable]:
    """The tables of items of a page, from top to bottom."""
    if not _DECIMALS.search(layout.raw_text):
        return []
    lines = [_TextLine(_cells(line), line) for line in text_lines(layout.runs)]
    tables: list[RuledTable] = []
    index = 0
    while index < len(lines):
        rows = _rows_from(lines, index) if _is_item(lines[index]) else []
        table = _table(lines, rows) if rows else None
        if table is not None:
            tables.append(table)
        index = rows[-1] + 1 if rows else index + 1
    return tables


def _cells(line: Line) -> list[_Cell]:
    groups: list[list[int]] = []
    for index, run in enumerate(line):
        if groups and run.x0 - line[index - 1].x1 < _GAP * run.size:
            groups[-1].append(index)
        else:
            groups.append([index])
    return [
        _Cell(line_text([line[index] for index in group]), line[group[0]].x0, line[group[-1]].x1)
        for group in groups
    ]


def _is_item(line: _TextLine) -> bool:
    """True for a line with a text, a number and an amount behind both."""
    cells = line.cells
    return (
        len(cells) >= _MIN_COLUMNS
        and _AMOUNT.fullmatch(cells[-1].text) is not None
        and sum(1 for cell in cells[:-1] if _is_number(cell.text)) >= 1
        and any(any(map(str.isalpha, cell.text)) and not _is_number(cell.text) for cell in cells[:-1])
    )


def _is_number(text: str) -> bool:
    return _NUMBER.fullmatch(text) is not None or _AMOUNT.fullmatch(text) is not None


def _rows_from(lines: Sequence[_TextLine], first: int) -> list[int]:
    """The rows that begin with this one: their amounts end at one place, with few other lines between them."""
    amount = lines[first].cells[-1]
    rows = [first]
    for index in range(first + 1, len(lines)):
        if index - rows[-1] > _MAX_BETWEEN + 1 or _is_far(lines[index - 1], lines[index]):
            break
        if _is_item(lines[index]) and _are_aligned(lines[index].cells[-1], amount):
            rows.append(index)
    return rows


def _are_aligned(first: _Cell, second: _Cell) -> bool:
    return min(abs(first.x1 - second.x1), abs(first.x0 - second.x0)) < _TOLERANCE


def _is_far(above: _TextLine, below: _TextLine) -> bool:
    return below.y0 - above.y1 > _MAX_SPACE * below.height


def _table(lines: Sequence[_TextLine], rows: Sequence[int]) -> RuledTable | None:
    columns = _columns([cell for index in rows for cell in lines[index].cells])
    header = _header(lines, rows[0], columns)
    if len(columns) < _MIN_COLUMNS or header is None:
        return None
    if len(rows) < _MIN_ROWS and len(lines[header].cells) < _MIN_NAMES:
        return None
    end = _end(lines, rows[-1], columns)
    text = _text_column(lines[rows[0]], columns)
    table: list[list[str]] = []
    for index in range(header, end):
        line = lines[index]
        if len(line.cells) == 1 and index < rows[0]:
            row = ["" if column != text else line.cells[0].text for column in range(len(columns))]
            begins = True
        elif index < rows[0]:
            # Names of columns are nearer to each other than cells.
            row = _row([_Cell(run.text, run.x0, run.x1) for run in line.runs], columns)
            begins = index == header
        else:
            row = _row(line.cells, columns)
            both = (row[column] and table[-1][column] for column in range(len(columns)) if column != text)
            begins = index in rows or _is_total(line, columns) or any(both)
        if begins:
            table.append(row)
        else:
            table[-1] = [f"{above} {below}".strip() for above, below in zip(table[-1], row, strict=True)]
    runs = [run for index in range(header, end) for run in lines[index].runs]
    return RuledTable(runs_rectangle(runs), table)


def _columns(cells: Sequence[_Cell]) -> list[tuple[float, float]]:
    """The columns: cells that overlap are in one."""
    columns: list[tuple[float, float]] = []
    for cell in sorted(cells, key=lambda cell: cell.x0):
        if columns and cell.x0 < columns[-1][1]:
            columns[-1] = (columns[-1][0], max(columns[-1][1], cell.x1))
        else:
            columns.append((cell.x0, cell.x1))
    return columns


def _header(lines: Sequence[_TextLine], first: int, columns: Sequence[tuple[float, float]]) -> int | None:
    """The line above the first row that names the columns; None if there is none."""
    for index in range(first - 1, max(-1, first - 1 - _MAX_HEADER), -1):
        line = lines[index]
        if _is_far(line, lines[index + 1]) or _AMOUNT.fullmatch(line.cells[-1].text):
            return None
        if len(line.cells) >= max(_MIN_COLUMNS, len(columns) - 1):
            return index if all(_is_name(cell.text) for cell in line.cells) else None
    return None


def _is_name(text: str) -> bool:
    """True if a text can be the name of a column."""
    return len(text.split()) <= _MAX_HEADER_WORDS and not any(map(str.isdigit, text))


def _end(lines: Sequence[_TextLine], last: int, columns: Sequence[tuple[float, float]]) -> int:
    """The index behind the last line of the table: behind the last row are lines of its text, then totals."""
    text = _text_column(lines[last], columns)
    end, has_totals = last + 1, False
    while end < len(lines) and not _is_far(lines[end - 1], lines[end]):
        line = lines[end]
        is_total = _is_total(line, columns)
        is_text = len(line.cells) == 1 and _column(line.cells[0], columns) == text
        is_inside = is_text and line.cells[0].x1 <= columns[text][1] + 2 * line.height
        is_near = line.y0 - lines[end - 1].y1 < line.height
        if not (is_total or (is_inside and is_near and not has_totals)):
            break
        has_totals = has_totals or is_total
        end += 1
    return end


def _text_column(line: _TextLine, columns: Sequence[tuple[float, float]]) -> int:
    """The column of the longest text of a row."""
    cells = [cell for cell in line.cells if not _is_number(cell.text)] or line.cells
    return _column(max(cells, key=lambda cell: len(cell.text)), columns)


def _is_total(line: _TextLine, columns: Sequence[tuple[float, float]]) -> bool:
    """True for an amount below the last column, alone or with a label."""
    last = line.cells[-1]
    return (
        len(line.cells) <= _MIN_COLUMNS
        and _AMOUNT.fullmatch(last.text) is not None
        and abs(last.x1 - columns[-1][1]) < _TOLERANCE
    )


def _row(cells: Sequence[_Cell], columns: Sequence[tuple[float, float]]) -> list[str]:
    row = [""] * len(columns)
    for cell in cells:
        index = _column(cell, columns)
        row[index] = f"{row[index]} {cell.text}".strip()
    return row


def _column(cell: _Cell, columns: Sequence[tuple[float, float]]) -> int:
    """The column that overlaps a cell most; without any, the nearest."""
    return max(
        range(len(columns)),
        key=lambda index: min(cell.x1, columns[index][1]) - max(cell.x0, columns[index][0]),
    )
