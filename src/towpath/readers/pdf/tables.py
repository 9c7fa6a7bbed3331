"""Distinguishes real tables from contents pages, listings and prose in columns, and renders them.

Rule-based engines detect too many tables; a false one scatters a paragraph over cells. Rows that are not a
table are rendered as lines or paragraphs.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import groupby
from typing import Literal

Rows = Sequence[Sequence[str]]
Shape = Literal["table", "cells", "prose", "lines", "code"]

# Real invoices have as few as 36 % filled cells.
_MIN_FILLED_SHARE = 0.35
# Contents pages are in the first eighth of a document (seen: 9 of 193 pages).
_CONTENTS_SHARE = 8
_MAX_CELL_LENGTH = 500
_LEADERS = re.compile(r"…|(?:\.\s?){4,}|(?:·\s?){4,}")
_BOX_DRAWING = re.compile("[\u2500-\u257f]")
_PAGE_NUMBERS = re.compile(r"(?:\d+|[ivxlc]+)(?:\s+(?:\d+|[ivxlc]+))*", re.IGNORECASE)
_SECTION = re.compile(r"(?:[A-Z]|\d+)(?:\.\d+)*\.?(?:\s|$)")
_ENDS_SENTENCE = (".", ":", ";", "!", "?", ")", "”", '"')


def classify_rows(rows: Rows, page: int, page_count: int, *, torn_rows: int = 0) -> Shape:
    """Classify the rows of a detected table on page ``page`` (from 1) of ``pages``.

    ``torn`` is the number of rows whose cells the engine cut out of one text run at a guessed position.
    """
    columns = max(map(len, rows), default=0)
    filled = [[cell for cell in row if cell.strip()] for row in rows]
    if any(_BOX_DRAWING.search(cell) for row in filled for cell in row):
        return "code"
    if columns < 2:
        return "cells"
    if len(rows) < 2 or _is_prose(filled, columns, torn_rows):
        return "prose"
    is_sparse = sum(map(len, filled)) < _MIN_FILLED_SHARE * len(rows) * columns
    return "lines" if is_sparse or _is_table_of_contents(rows, page, page_count) else "table"


def _is_table_of_contents(rows: Rows, page: int, page_count: int) -> bool:
    if sum(1 for row in rows if any(_LEADERS.search(cell) for cell in row)) * 3 >= len(rows):
        return True
    if page > max(3, page_count // _CONTENTS_SHARE):
        return False
    numbered = [row for row in rows if row and _PAGE_NUMBERS.fullmatch(row[-1].strip())]
    if len(numbered) * 10 < len(rows) * 7:
        return False
    page_numbers = [int(number) for row in numbered for number in re.findall(r"\d+", row[-1])]
    sections = sum(1 for row in rows if _SECTION.match(" ".join(row).strip()))
    return page_numbers == sorted(page_numbers) and (sections * 2 >= len(rows) or len(rows[0]) == 2)


def _is_prose(filled: Sequence[Sequence[str]], columns: int, torn_rows: int) -> bool:
    if columns <= 2 and any(len(cell) > _MAX_CELL_LENGTH for row in filled for cell in row):
        return True
    pairs = [row for row in filled if len(row) > 1]
    if columns == 2 and torn_rows and torn_rows * 2 >= len(pairs):
        return True
    split_rows = sum(1 for row in pairs if _is_split_sentence(row))
    return split_rows >= 2 and split_rows * 2 >= len(pairs)


def _is_split_sentence(row: Sequence[str]) -> bool:
    """True if two cells are one sentence: the second continues in lower case, and both fill a line."""
    if len(row) != 2 or len(row[0]) <= 20 or len(row[0]) + len(row[1]) < 40:
        return False
    return row[1][:1].islower() and not row[0].rstrip().endswith(_ENDS_SENTENCE)


def render_rows(rows: Rows, shape: Shape) -> str:
    """Render rows of trimmed cells: a pipe table, paragraphs, one paragraph, lines or a fenced block."""
    if shape == "table":
        width = max(map(len, rows))
        squared = [[*map(_cell, row), *[""] * (width - len(row))] for row in rows]
        lines = [f"| {' | '.join(row)} |" for row in squared]
        return "\n".join([lines[0], "|" + "---|" * width, *lines[1:]])
    # The engine repeats a cell that spans columns once per column.
    lines = [" ".join(cell for cell, _ in groupby(row) if cell) for row in rows]
    lines = [line for line in lines if line]
    if shape == "code":
        return fenced_code(lines)
    return {"cells": "\n\n", "lines": "\n"}.get(shape, " ").join(lines)


def fenced_code(lines: Sequence[str], language: str = "") -> str:
    """A fenced code block."""
    fence = "```"
    while any(line.lstrip().startswith(fence) for line in lines):
        fence += "`"
    return "\n".join([fence + language, *lines, fence])


def _cell(text: str) -> str:
    return text.replace("\n", " ").replace("|", "\\|").strip()
