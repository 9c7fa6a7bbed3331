"""Writes rows of cells as pipe tables, up to a maximum number of rows and cells.

Long tables are split into tables of fifty rows with the header repeated, so that a chunk found by
search has the names of its columns.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from towpath.model.content import Extraction, Page
from towpath.readers.common.markdown_writer import MarkdownWriter, escape_inline, table_cell
from towpath.readers.common.page_breaks import blocks_with_pages

ROWS_PER_TABLE = 50
_CELLS_PER_TABLE = 2_000
_MAX_NUMBER_LENGTH = 40
_NUMBER_PUNCTUATION = str.maketrans("", "", ".,'-+−()%€$£¥ \xa0")
_NEEDS_ESCAPING = re.compile(r"[|<\[\]\n\r\t]|  ")
_DATE = re.compile(r"\d{4}-\d\d-\d\d")
_YEAR = re.compile(r"(?:19|20)\d\d")

Row = dict[int, str]
NumberedRow = tuple[int, Row]


@dataclass(frozen=True, slots=True)
class SheetLimits:
    """Maximum rows per sheet (100,000 are about 2,000 printed pages) and cells per file."""

    rows: int = 100_000
    cells: int = 2_000_000


@dataclass(slots=True)
class _Table:
    """An open table: its header and the rows not yet written."""

    header: Row
    rows: list[Row] = field(default_factory=list[Row])
    is_written: bool = False

    @property
    def is_full(self) -> bool:
        return len(self.rows) >= ROWS_PER_TABLE or len(self.rows) * len(self.rows[-1]) >= _CELLS_PER_TABLE

    def has_only_headings_before(self, row: Row) -> bool:
        """True if the table has only headings so far and ``row``, after a blank row, has values."""
        headings_only = not self.is_written and all(_is_header(above) for above in self.rows)
        return headings_only and len(row) > 1 and not _is_header(row)

    def pop_rows(self) -> list[list[str]]:
        """Remove and return the header and rows, without columns that are empty in all of them."""
        rows = [self.header, *self.rows]
        used = sorted(set[int]().union(*rows))
        self.rows, self.is_written = [], True
        return [_escaped_cells(row, used) for row in rows]


@dataclass(slots=True)
class SheetWriter:
    """Writes sheets one after the other. A row is its number and its non-empty cells by column."""

    limits: SheetLimits = field(default_factory=SheetLimits)
    writer: MarkdownWriter = field(default_factory=MarkdownWriter)
    warnings: list[str] = field(default_factory=list[str])
    pages: list[Page] = field(default_factory=list[Page])
    _cell_count: int = 0
    _table: _Table | None = None

    def write_sheet(self, name: str, rows: Iterable[NumberedRow]) -> None:
        """Write one sheet as one page. Blank rows separate tables; single cells above a table are titles."""
        start = self._next_offset()
        self.writer.heading(1, escape_inline(name))
        last_number, header = 0, Row()
        for number, row in self._within_limits(f"sheet “{name}”", rows):
            if not row:
                continue
            if (
                number > last_number + 1
                and self._table is not None
                and not self._table.has_only_headings_before(row)
            ):
                header = self._table.header
                self._end_table()
            if len(row) == 1 and self._table is None:
                self.writer.paragraph(escape_inline(next(iter(row.values()))))
            else:
                self._add_row(row, header)
            last_number = number
        self._end_table()
        self._end_page(start, name)

    def write_table(self, rows: Iterable[NumberedRow]) -> None:
        """Write one table without a name; each fifty rows are a page."""
        start, first_row, last_row = 0, 1, 0
        for number, row in self._within_limits("table", rows):
            if row:
                self._add_row(row, Row())
            last_row = number
            if self.writer.length >= start + 1:
                self._end_page(start, f"rows {first_row} to {last_row}")
                start, first_row = self._next_offset(), last_row + 1
        self._end_table()
        if self.writer.length > start:
            self._end_page(start, f"rows {first_row} to {last_row}")

    def extraction(self, engine: str, metadata: dict[str, str]) -> Extraction:
        return Extraction(
            markdown=self.writer.text(),
            engine=engine,
            pages=tuple(self.pages),
            blocks=blocks_with_pages(self.pages, self.writer.blocks),
            metadata=metadata,
            warnings=tuple(self.warnings),
        )

    def _within_limits(self, name: str, rows: Iterable[NumberedRow]) -> Iterator[NumberedRow]:
        row_count = 0
        for number, row in rows:
            row_count += bool(row)
            self._cell_count += len(row)
            if row_count > self.limits.rows or self._cell_count > self.limits.cells:
                self.warnings.append(
                    f"The {name} was read up to row {number - 1:,}: the limits are "
                    f"{self.limits.rows:,} rows per sheet and {self.limits.cells:,} cells per file."
                )
                return
            yield number, row

    def _add_row(self, row: Row, previous_header: Row) -> None:
        """Add a row to the open table; a new table without headings keeps the previous header."""
        if self._table is None:
            is_header = _is_header(row)
            self._table = _Table(row if is_header else previous_header)
            if is_header:
                return
        self._table.rows.append(row)
        if self._table.is_full:
            self.writer.table(self._table.pop_rows())

    def _end_table(self) -> None:
        if self._table is not None and (self._table.rows or not self._table.is_written):
            self.writer.table(self._table.pop_rows())
        self._table = None

    def _next_offset(self) -> int:
        return self.writer.length + 2 if self.writer.length else 0

    def _end_page(self, start: int, label: str) -> None:
        self.pages.append(Page(len(self.pages) + 1, start, max(start, self.writer.length), label))


def _escaped_cells(row: Row, columns: list[int]) -> list[str]:
    texts = [row.get(column, "") for column in columns]
    # One search over the whole row saves a third of the time of a long sheet.
    return (
        [table_cell(escape_inline(text)) for text in texts]
        if _NEEDS_ESCAPING.search("\x1f".join(texts))
        else texts
    )


def _is_header(row: Row) -> bool:
    """True if a row looks like headings: words or years, but no other numbers and no dates."""
    return not any(_is_number_or_date(text) for text in row.values())


def _is_number_or_date(text: str) -> bool:
    if len(text) > _MAX_NUMBER_LENGTH or _YEAR.fullmatch(text):
        return False
    return text.translate(_NUMBER_PUNCTUATION).isdigit() or _DATE.match(text) is not None
