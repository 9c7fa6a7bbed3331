"""Places the cells of table rows in columns by the borders between them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from towpath.readers.common.table_grid import TableGrid

#: The texts of the cells, and the places of their borders in twentieths of a point, one more than cells.
Row = tuple[list[str], tuple[int, ...]]
#: Borders that are nearer are one border.
_SAME_BORDER = 30


def place_cells(rows: Sequence[Row]) -> list[list[str]]:
    """The rows with empty cells where a cell reaches over several columns; without borders one after the other."""
    columns = _columns(border for _, borders in rows for border in borders)
    grid = TableGrid()
    for cells, borders in rows:
        grid.open_row()
        places = [columns[border] for border in borders]
        fits = len(places) == len(cells) + 1
        if fits:
            grid.skip_columns(places[0])
        for index, cell in enumerate(cells):
            grid.add_cell(cell, places[index + 1] - places[index] if fits else 1)
    return grid.cells()


def _columns(borders: Iterable[int]) -> dict[int, int]:
    """The number of the column that begins at each border."""
    columns: dict[int, int] = {}
    last, column = None, -1
    for border in sorted(set(borders)):
        if last is None or border - last > _SAME_BORDER:
            column += 1
            last = border
        columns[border] = column
    return columns
