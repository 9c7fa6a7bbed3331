"""Rows of cells as pipe tables, and the limits past which a sheet is data and no longer a document.

Long tables are cut into tables of fifty rows, each under the header, so that a passage found by
search still says what its columns mean.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from towpath.model.content import Extraction, Page
from towpath.providers.local.markdown import Writer, cell, escape
from towpath.providers.local.paging import blocks_on

ROWS_PER_TABLE = 50
_CELLS_PER_TABLE = 2_000
_LONGEST_NUMBER = 40
_NUMBER_SIGNS = str.maketrans("", "", ".,'-+−()%€$£¥ \xa0")
_SPECIAL = re.compile(r"[|<\[\]\n\r\t]|  ")
_DATE = re.compile(r"\d{4}-\d\d-\d\d")
_YEAR = re.compile(r"(?:19|20)\d\d")

Row = dict[int, str]
Numbered = tuple[int, Row]


@dataclass(frozen=True, slots=True)
class Limits:
    """A hundred thousand rows are a book of some 2,000 pages. Cells are counted over all sheets together."""

    rows: int = 100_000
    cells: int = 2_000_000


@dataclass(slots=True)
class _Table:
    """The table being gathered: its header, and the rows not yet written."""

    header: Row
    rows: list[Row] = field(default_factory=list[Row])
    is_written: bool = False

    @property
    def is_full(self) -> bool:
        return len(self.rows) >= ROWS_PER_TABLE or len(self.rows) * len(self.rows[-1]) >= _CELLS_PER_TABLE

    def awaits(self, row: Row) -> bool:
        """Whether so far there were only headings, and the row after a blank one is what they head."""
        headings_only = not self.is_written and all(_names_columns(above) for above in self.rows)
        return headings_only and len(row) > 1 and not _names_columns(row)

    def take(self) -> list[list[str]]:
        """The rows so far under the header, without columns that are empty in all of them."""
        rows = [self.header, *self.rows]
        used = sorted(set[int]().union(*rows))
        self.rows, self.is_written = [], True
        return [_line(row, used) for row in rows]


@dataclass(slots=True)
class SheetWriter:
    """Writes sheet after sheet. Rows come as their numbers and the cells in them that hold anything."""

    limits: Limits = field(default_factory=Limits)
    writer: Writer = field(default_factory=Writer)
    warnings: list[str] = field(default_factory=list[str])
    pages: list[Page] = field(default_factory=list[Page])
    _cells: int = 0
    _table: _Table | None = None

    def write_sheet(self, name: str, rows: Iterable[Numbered]) -> None:
        """One sheet, which is one page; blank rows part its tables, lone cells above a table are titles."""
        start = self._next_offset()
        self.writer.heading(1, escape(name))
        last, header = 0, Row()
        for number, row in self._limited(f"sheet “{name}”", rows):
            if not row:
                continue
            if number > last + 1 and self._table is not None and not self._table.awaits(row):
                header = self._table.header
                self._end_table()
            if len(row) == 1 and self._table is None:
                self.writer.paragraph(escape(next(iter(row.values()))))
            else:
                self._add(row, header)
            last = number
        self._end_table()
        self._end_page(start, name)

    def write_table(self, rows: Iterable[Numbered]) -> None:
        """One table without a name; each of its pieces of fifty rows is a page."""
        start, first, last = 0, 1, 0
        for number, row in self._limited("table", rows):
            if row:
                self._add(row, Row())
            last = number
            if self.writer.length >= start + 1:
                self._end_page(start, f"rows {first} to {last}")
                start, first = self._next_offset(), last + 1
        self._end_table()
        if self.writer.length > start:
            self._end_page(start, f"rows {first} to {last}")

    def extraction(self, engine: str, metadata: dict[str, str]) -> Extraction:
        return Extraction(
            markdown=self.writer.text(),
            engine=engine,
            pages=tuple(self.pages),
            blocks=blocks_on(self.pages, self.writer.blocks),
            metadata=metadata,
            warnings=tuple(self.warnings),
        )

    def _limited(self, what: str, rows: Iterable[Numbered]) -> Iterator[Numbered]:
        filled = 0
        for number, row in rows:
            filled += bool(row)
            self._cells += len(row)
            if filled > self.limits.rows or self._cells > self.limits.cells:
                self.warnings.append(
                    f"Of the {what}, everything from row {number:,} on was left out: "
                    f"at most {self.limits.rows:,} rows of a sheet "
                    f"and {self.limits.cells:,} cells of a file are read."
                )
                return
            yield number, row

    def _add(self, row: Row, header_before: Row) -> None:
        """A row of the table at hand; a new table without headings of its own keeps those above it."""
        if self._table is None:
            named = _names_columns(row)
            self._table = _Table(row if named else header_before)
            if named:
                return
        self._table.rows.append(row)
        if self._table.is_full:
            self.writer.table(self._table.take())

    def _end_table(self) -> None:
        if self._table is not None and (self._table.rows or not self._table.is_written):
            self.writer.table(self._table.take())
        self._table = None

    def _next_offset(self) -> int:
        return self.writer.length + 2 if self.writer.length else 0

    def _end_page(self, start: int, label: str) -> None:
        self.pages.append(Page(len(self.pages) + 1, start, max(start, self.writer.length), label))


def _line(row: Row, columns: list[int]) -> list[str]:
    texts = [row.get(column, "") for column in columns]
    # Looking at a whole row at once saves a third of the time of a long sheet.
    return [cell(escape(text)) for text in texts] if _SPECIAL.search("\x1f".join(texts)) else texts


def _names_columns(row: Row) -> bool:
    """Whether a row looks like headings: words, or years, but no measured numbers and no dates."""
    return not any(_is_measured(text) for text in row.values())


def _is_measured(text: str) -> bool:
    if len(text) > _LONGEST_NUMBER or _YEAR.fullmatch(text):
        return False
    return text.translate(_NUMBER_SIGNS).isdigit() or _DATE.match(text) is not None
