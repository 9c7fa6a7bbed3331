"""Finds tables by their ruled lines: the cells are the rectangles between crossing lines.

Where all cells of a table are ruled, this is exact also for cells with several lines of text, which rules about
aligned text split into rows.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from towpath.readers.pdf.join_lines import join_lines
from towpath.readers.pdf.page_layout import Edge, Line, PageLayout, Rectangle, TextRun, line_text, text_lines

# Ends of lines and parallel lines that are nearer than this, in points, are the same.
_TOLERANCE = 3.0
_MIN_LENGTH = 6.0
# The smallest gap between two columns, in font sizes.
_COLUMN_GAP = 0.7
# A drawing, not a table; it would take too long.
_MAX_EDGES = 1500


@dataclass(frozen=True, slots=True)
class RuledTable:
    """A table of at least two rows and columns; cells without text and covered ones are empty."""

    box: Rectangle
    rows: list[list[str]]


def find_ruled_tables(layout: PageLayout) -> list[RuledTable]:
    """The ruled tables of a page from top to bottom."""
    if len(layout.horizontal) < 2 or len(layout.vertical) < 2:
        return []
    if len(layout.horizontal) + len(layout.vertical) > _MAX_EDGES:
        return []
    horizontal, vertical = _merge(layout.horizontal), _merge(layout.vertical)
    cells = _cells(horizontal, vertical)
    tables = [_table(group, layout.runs) for group in _connected(cells)]
    return sorted((table for table in tables if table), key=lambda table: (table.box[1], table.box[0]))


def _merge(edges: Iterable[Edge]) -> list[Edge]:
    """Lines at the same position that touch each other become one."""
    clusters: list[list[Edge]] = []
    for edge in sorted(edges, key=lambda edge: edge.position):
        if clusters and edge.position - clusters[-1][-1].position <= _TOLERANCE:
            clusters[-1].append(edge)
        else:
            clusters.append([edge])
    merged: list[Edge] = []
    for cluster in clusters:
        position = sum(edge.position for edge in cluster) / len(cluster)
        start = end = None
        for edge in sorted(cluster, key=lambda edge: edge.start):
            if start is None or end is None:
                start, end = edge.start, edge.end
            elif edge.start <= end + _TOLERANCE:
                end = max(end, edge.end)
            else:
                merged.append(Edge(position, start, end))
                start, end = edge.start, edge.end
        if start is not None and end is not None:
            merged.append(Edge(position, start, end))
    return [edge for edge in merged if edge.end - edge.start >= _MIN_LENGTH]


def _cells(horizontal: Sequence[Edge], vertical: Sequence[Edge]) -> list[Rectangle]:
    """The smallest rectangles whose corners are crossings and whose sides are lines."""
    below: dict[float, list[tuple[float, Edge, Edge]]] = defaultdict(list)
    crossings: dict[tuple[float, float], tuple[Edge, Edge]] = {}
    for row in horizontal:
        for column in vertical:
            if (
                row.start - _TOLERANCE <= column.position <= row.end + _TOLERANCE
                and column.start - _TOLERANCE <= row.position <= column.end + _TOLERANCE
            ):
                crossings[column.position, row.position] = (row, column)
                below[column.position].append((row.position, row, column))
    on_row: dict[float, list[float]] = defaultdict(list)
    for x, y in crossings:
        on_row[y].append(x)
    for positions in on_row.values():
        positions.sort()
    cells: list[Rectangle] = []
    for (x, y), (row, column) in crossings.items():
        lower = [item for item in below[x] if item[0] > y and item[2] is column]
        right = [
            other for other in on_row[y][bisect_left(on_row[y], x) + 1 :] if crossings[other, y][0] is row
        ]
        cell = _smallest(
            x, y, [item[0] for item in sorted(lower, key=lambda item: item[0])], right, crossings
        )
        if cell:
            cells.append(cell)
    return cells


def _smallest(
    x: float,
    y: float,
    lower: Sequence[float],
    right: Sequence[float],
    crossings: dict[tuple[float, float], tuple[Edge, Edge]],
) -> Rectangle | None:
    for bottom in lower:
        for other in right:
            corner = crossings.get((other, bottom))
            if corner is None:
                continue
            if corner[0] is crossings[x, bottom][0] and corner[1] is crossings[other, y][1]:
                return (x, y, other, bottom)
    return None


def _connected(cells: Sequence[Rectangle]) -> list[list[Rectangle]]:
    """Groups of cells that share a corner."""
    by_corner: dict[tuple[float, float], list[int]] = defaultdict(list)
    for index, (x0, y0, x1, y1) in enumerate(cells):
        for corner in ((x0, y0), (x1, y0), (x0, y1), (x1, y1)):
            by_corner[corner].append(index)
    group_of = list(range(len(cells)))

    def root(index: int) -> int:
        while group_of[index] != index:
            group_of[index] = group_of[group_of[index]]
            index = group_of[index]
        return index

    for members in by_corner.values():
        for member in members[1:]:
            group_of[root(member)] = root(members[0])
    groups: dict[int, list[Rectangle]] = defaultdict(list)
    for index, cell in enumerate(cells):
        groups[root(index)].append(cell)
    return list(groups.values())


def _table(cells: Sequence[Rectangle], runs: Sequence[TextRun]) -> RuledTable | None:
    tops = sorted({cell[1] for cell in cells})
    lefts = sorted({cell[0] for cell in cells})
    if len(tops) < 2 or len(lefts) < 2:
        return None
    box = (lefts[0], tops[0], max(cell[2] for cell in cells), max(cell[3] for cell in cells))
    grid: dict[tuple[int, int], list[Line]] = {}
    for cell, cell_runs in _runs_by_cell(cells, [run for run in runs if is_inside(run, box)]).items():
        row, column = tops.index(cell[1]), lefts.index(cell[0])
        for part, part_runs in _split_at_columns(cell, cell_runs, lefts, column).items():
            grid.setdefault((row, part), []).extend(text_lines(part_runs))
    rows = [
        cells_of_row
        for row in range(len(tops))
        for cells_of_row in _split_rows([grid.get((row, column), []) for column in range(len(lefts))])
    ]
    rows = [row for row in rows if any(row)]
    columns = [column for column in range(len(lefts)) if any(row[column] for row in rows)]
    if len(rows) < 2 or len(columns) < 2:
        return None
    return RuledTable(box, [[row[column] for column in columns] for row in rows])


def _split_at_columns(
    cell: Rectangle, runs: Sequence[TextRun], lefts: Sequence[float], column: int
) -> dict[int, list[TextRun]]:
    """The runs of a cell by column.

    The shaded stripes behind every second row of a table look like cells over all its columns. Their text is
    divided among the columns if there is a gap at every border with text on both sides.
    """
    borders = [left for left in lefts[column + 1 :] if left < cell[2] - _TOLERANCE]
    if not borders:
        return {column: list(runs)}
    parts: dict[int, list[TextRun]] = defaultdict(list)
    for run in runs:
        if any(run.x0 < border - 1 and run.x1 > border + 1 for border in borders):
            return {column: list(runs)}
        parts[column + sum(1 for border in borders if border <= (run.x0 + run.x1) / 2)].append(run)
    ordered = [parts[index] for index in sorted(parts)]
    for left, right in pairwise(ordered):
        gap = min(run.x0 for run in right) - max(run.x1 for run in left)
        if gap < _COLUMN_GAP * right[0].size:
            return {column: list(runs)}
    return parts


def _split_rows(cells: Sequence[Sequence[Line]]) -> list[list[str]]:
    """The cells of a ruled row; as several rows if at least two columns are lists of numbers at the same heights."""
    numeric = [lines for lines in cells if len(lines) > 1 and all(map(_is_number, lines))]
    if len(numeric) < 2 or len({len(lines) for lines in numeric}) > 1:
        return [[join_lines([line_text(line) for line in lines]) for lines in cells]]
    if any(
        abs(line[0].y0 - numeric[0][index][0].y0) > 2 for lines in numeric for index, line in enumerate(lines)
    ):
        return [[join_lines([line_text(line) for line in lines]) for lines in cells]]
    heights: list[float] = []
    for line in sorted((line for lines in cells for line in lines), key=lambda line: line[0].y0):
        if not heights or line[0].y0 - heights[-1] > 0.5 * line[0].size:
            heights.append(line[0].y0)
    rows = [[""] * len(cells) for _ in heights]
    for column, lines in enumerate(cells):
        for line in lines:
            nearest = min(range(len(heights)), key=lambda index: abs(heights[index] - line[0].y0))
            rows[nearest][column] = f"{rows[nearest][column]} {line_text(line)}".strip()
    return rows


def _is_number(line: Line) -> bool:
    text = line_text(line)
    return any(map(str.isdigit, text)) and sum(map(str.isalpha, text)) <= 2


def _runs_by_cell(cells: Sequence[Rectangle], runs: Sequence[TextRun]) -> dict[Rectangle, list[TextRun]]:
    """The runs in each cell; the smallest of the cells that overlap."""
    by_size = sorted(cells, key=lambda cell: (cell[2] - cell[0]) * (cell[3] - cell[1]))
    found: dict[Rectangle, list[TextRun]] = defaultdict(list)
    for run in runs:
        y = (run.y0 + run.y1) / 2
        row = [cell for cell in by_size if cell[1] <= y <= cell[3] and cell[0] < run.x1 and cell[2] > run.x0]
        for part in _split_at_cells(run, row):
            x = (part.x0 + part.x1) / 2
            for cell in row:
                if cell[0] <= x <= cell[2]:
                    found[cell].append(part)
                    break
    return found


def _split_at_cells(run: TextRun, cells: Sequence[Rectangle]) -> list[TextRun]:
    """Parts of a run that goes over several cells, cut at the blanks nearest to the borders."""
    words = run.text.split(" ")
    if len(words) < 2 or sum(1 for cell in cells if min(cell[2], run.x1) - max(cell[0], run.x0) > 2) < 2:
        return [run]
    step = (run.x1 - run.x0) / max(1, len(run.text))
    parts: list[TextRun] = []
    offset = 0
    for word in words:
        if word:
            x0, x1 = run.x0 + offset * step, run.x0 + (offset + len(word)) * step
            parts.append(TextRun(word, x0, run.y0, x1, run.y1, run.font))
        offset += len(word) + 1
    return parts


def is_inside(run: TextRun, box: Rectangle) -> bool:
    """True if the center of a run is in a rectangle."""
    x, y = (run.x0 + run.x1) / 2, (run.y0 + run.y1) / 2
    return box[0] <= x <= box[2] and box[1] <= y <= box[3]
