"""Lays out tables with merged cells for pipe tables: each text appears once, where its cell begins."""

from __future__ import annotations

from dataclasses import dataclass, field

from towpath.readers.common.safe_xml import Element, parse_int

_MAX_COLUMNS = 500
_MAX_ROW_SPAN = 10_000
_BLOCK_TAGS = tuple(
    f"{{*}}{name}"
    for name in ("h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "pre", "form", "hr", "blockquote")
)


@dataclass(slots=True)
class TableGrid:
    """Cells by row and column. Sparse, because a span may declare far more columns than the table has."""

    rows: list[dict[int, str]] = field(default_factory=list[dict[int, str]])
    _column: int = 0
    _rows_covered: dict[int, int] = field(default_factory=dict[int, int])

    def open_row(self) -> None:
        self.rows.append({})
        self._column = 0
        self._rows_covered = {column: left - 1 for column, left in self._rows_covered.items() if left > 1}

    def skip_columns(self, columns: int) -> None:
        self._column = min(self._column + columns, _MAX_COLUMNS)

    def add_cell(self, text: str, columns: int = 1, rows: int = 1) -> None:
        """Fill the next free cell of the row. Cells beyond ``_MAX_COLUMNS`` share the last column."""
        if not self.rows:
            self.open_row()
        while self._rows_covered.get(self._column) and self._column < _MAX_COLUMNS:
            self._column += 1
        row, column = self.rows[-1], min(self._column, _MAX_COLUMNS)
        if text:
            row[column] = f"{row[column]} {text}" if column in row else text
        self._column = min(column + max(columns, 1), _MAX_COLUMNS)
        if rows > 1:
            left = min(rows, _MAX_ROW_SPAN)
            self._rows_covered.update(dict.fromkeys(range(column, self._column), left))

    def cells(self) -> list[list[str]]:
        """The cells without empty rows and columns, which are common as spacers in Office tables."""
        used = sorted({column for row in self.rows for column in row})
        return [[row.get(column, "") for column in used] for row in self.rows if row]


def is_layout_table(table: Element) -> bool:
    """True if an HTML table only arranges the page: its cells are then read one after the other."""
    if (table.get("role") or "") in ("presentation", "none"):
        return True
    if next(table.iterdescendants("{*}table"), None) is not None:
        return True
    if next(table.iterdescendants("{*}th", "{*}caption"), None) is not None:
        return False
    if next(table.iterdescendants(*_BLOCK_TAGS), None) is not None:
        return True
    max_cells = 0
    for number, row in enumerate(table.iterdescendants("{*}tr"), start=1):
        max_cells = max(max_cells, len(row))
        if number > 1 and max_cells > 1:
            return False
    return True


def int_attribute(element: Element, name: str) -> int:
    """A numeric attribute such as ``colspan``, ``rowspan`` or ``start``; 1 if missing or invalid."""
    return parse_int(element.get(name), 1)
