"""Reads the tables of a markdown text, and the adjacency relations of their cells.

The measure is that of the ICDAR 2013 table competition: each cell with text forms a relation with the next cell
with text to its right and with the next one below it. A relation is right if both texts and the direction are.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

_SEPARATOR = re.compile(r"\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*")
_CELL_END = re.compile(r"(?<!\\)\|")
_BREAK = re.compile(r"<br\s*/?>")

Relation = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell and the rows and columns that it covers, both ends included."""

    text: str
    first_row: int
    first_column: int
    last_row: int
    last_column: int


def find_tables(markdown: str) -> Iterator[list[list[str]]]:
    """The pipe tables of a text as rows of cells."""
    rows: list[list[str]] = []
    in_code = has_separator = False
    for line in [*markdown.splitlines(), ""]:
        stripped = line.strip()
        in_code ^= stripped.startswith("```")
        if in_code:
            continue
        if "|" in stripped and stripped.startswith("|"):
            if _SEPARATOR.fullmatch(stripped):
                has_separator = True
            else:
                rows.append([cell.strip() for cell in _CELL_END.split(stripped.strip("|"))])
        else:
            if rows and has_separator:
                yield rows
            rows, has_separator = [], False


def grid_cells(rows: Sequence[Sequence[str]]) -> list[Cell]:
    """The cells of a table without spans."""
    return [
        Cell(text, row, column, row, column)
        for row, cells in enumerate(rows)
        for column, text in enumerate(cells)
    ]


def relations(tables: Iterable[Sequence[Cell]]) -> Counter[Relation]:
    """The adjacency relations of all tables of a file."""
    return Counter(relation for cells in tables for relation in _table_relations(cells))


def _table_relations(cells: Sequence[Cell]) -> Iterator[Relation]:
    texts = {cell: text for cell in cells if (text := compared_text(cell.text))}
    grid: Mapping[tuple[int, int], Cell] = {
        (row, column): cell
        for cell in texts
        for row in range(cell.first_row, cell.last_row + 1)
        for column in range(cell.first_column, cell.last_column + 1)
    }
    rows = max((row for row, _ in grid), default=-1)
    columns = max((column for _, column in grid), default=-1)
    for cell, text in texts.items():
        right = {
            neighbour
            for row in range(cell.first_row, cell.last_row + 1)
            if (
                neighbour := _next(
                    grid, ((row, column) for column in range(cell.last_column + 1, columns + 1))
                )
            )
        }
        below = {
            neighbour
            for column in range(cell.first_column, cell.last_column + 1)
            if (neighbour := _next(grid, ((row, column) for row in range(cell.last_row + 1, rows + 1))))
        }
        yield from ((text, texts[neighbour], "right") for neighbour in right)
        yield from ((text, texts[neighbour], "below") for neighbour in below)


def _next(grid: Mapping[tuple[int, int], Cell], places: Iterable[tuple[int, int]]) -> Cell | None:
    return next((grid[place] for place in places if place in grid), None)


def compared_text(text: str) -> str:
    """Letters and digits of a cell: blanks, markup and typesetting may differ, as in the competition's own tool."""
    return "".join(filter(str.isalnum, unicodedata.normalize("NFKC", _BREAK.sub("", text))))
