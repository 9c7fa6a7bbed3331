"""Tables with merged cells, as pipe tables can show them: every text once, where its cell begins."""

from __future__ import annotations

from dataclasses import dataclass, field

from towpath.providers.local.xml import Element, whole_number

_WIDEST = 500
_LONGEST_SPAN = 10_000
_STRUCTURE = tuple(
    f"{{*}}{name}"
    for name in ("h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "pre", "form", "hr", "blockquote")
)


@dataclass(slots=True)
class Grid:
    """Cells by row and column. Sparse, since a span may claim far more columns than the table has."""

    rows: list[dict[int, str]] = field(default_factory=list[dict[int, str]])
    _column: int = 0
    _covered: dict[int, int] = field(default_factory=dict[int, int])

    def open_row(self) -> None:
        self.rows.append({})
        self._column = 0
        self._covered = {column: left - 1 for column, left in self._covered.items() if left > 1}

    def skip(self, columns: int) -> None:
        self._column = min(self._column + columns, _WIDEST)

    def add(self, text: str, columns: int = 1, rows: int = 1) -> None:
        """The next free cell of the row. Cells beyond the widest table allowed share its last column."""
        if not self.rows:
            self.open_row()
        while self._covered.get(self._column) and self._column < _WIDEST:
            self._column += 1
        row, column = self.rows[-1], min(self._column, _WIDEST)
        if text:
            row[column] = f"{row[column]} {text}" if column in row else text
        self._column = min(column + max(columns, 1), _WIDEST)
        if rows > 1:
            left = min(rows, _LONGEST_SPAN)
            self._covered.update(dict.fromkeys(range(column, self._column), left))

    def table(self) -> list[list[str]]:
        """Rows and columns that hold anything at all; spacers are common in office tables."""
        used = sorted({column for row in self.rows for column in row})
        return [[row.get(column, "") for column in used] for row in self.rows if row]


def is_layout(table: Element) -> bool:
    """Whether a web table only arranges a page: its cells are then read one after the other."""
    if (table.get("role") or "") in ("presentation", "none"):
        return True
    if next(table.iterdescendants("{*}table"), None) is not None:
        return True
    if next(table.iterdescendants("{*}th", "{*}caption"), None) is not None:
        return False
    if next(table.iterdescendants(*_STRUCTURE), None) is not None:
        return True
    widest = 0
    for number, row in enumerate(table.iterdescendants("{*}tr"), start=1):
        widest = max(widest, len(row))
        if number > 1 and widest > 1:
            return False
    return True


def span(element: Element, name: str) -> int:
    """How many columns or rows a cell states to cover, or where a list states to begin."""
    return whole_number(element.get(name), 1)
