"""Tells real tables from contents pages, listings and prose that merely stand in columns.

Every engine that works by rules sees too many tables; a false one scatters a paragraph over cells.
What is no table is given back as the lines it was made of.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import groupby
from typing import Literal

Rows = Sequence[Sequence[str]]
Shape = Literal["table", "cells", "prose", "lines", "code"]

# Real invoices go down to 36 % filled cells.
_LEAST_FILLED = 0.35
# A contents page stands in front; the eighth part covers long ones (9 of 193 pages).
_FRONT = 8
_LONGEST_CELL = 500
_LEADERS = re.compile(r"…|(?:\.\s?){4,}|(?:·\s?){4,}")
_BOX_DRAWING = re.compile("[\u2500-\u257f]")
_PAGE_NUMBERS = re.compile(r"(?:\d+|[ivxlc]+)(?:\s+(?:\d+|[ivxlc]+))*", re.IGNORECASE)
_SECTION = re.compile(r"(?:[A-Z]|\d+)(?:\.\d+)*\.?(?:\s|$)")
_ENDS_SENTENCE = (".", ":", ";", "!", "?", ")", "”", '"')


def shape_of(rows: Rows, page: int, pages: int, *, torn: int = 0) -> Shape:
    """What the rows really are, on this page (from 1) of a document with so many pages.

    ``torn`` counts the rows whose cells the engine cut out of one run of text at a guessed place.
    """
    columns = max(map(len, rows), default=0)
    filled = [[cell for cell in row if cell.strip()] for row in rows]
    if any(_BOX_DRAWING.search(cell) for row in filled for cell in row):
        return "code"
    if columns < 2:
        return "cells"
    if len(rows) < 2 or _is_prose(filled, columns, torn):
        return "prose"
    scarce = sum(map(len, filled)) < _LEAST_FILLED * len(rows) * columns
    return "lines" if scarce or _is_contents(rows, page, pages) else "table"


def _is_contents(rows: Rows, page: int, pages: int) -> bool:
    if sum(1 for row in rows if any(_LEADERS.search(cell) for cell in row)) * 3 >= len(rows):
        return True
    if page > max(3, pages // _FRONT):
        return False
    numbered = [row for row in rows if row and _PAGE_NUMBERS.fullmatch(row[-1].strip())]
    if len(numbered) * 10 < len(rows) * 7:
        return False
    last = [int(number) for row in numbered for number in re.findall(r"\d+", row[-1])]
    sections = sum(1 for row in rows if _SECTION.match(" ".join(row).strip()))
    return last == sorted(last) and (sections * 2 >= len(rows) or len(rows[0]) == 2)


def _is_prose(filled: Sequence[Sequence[str]], columns: int, torn: int) -> bool:
    if columns <= 2 and any(len(cell) > _LONGEST_CELL for row in filled for cell in row):
        return True
    pairs = [row for row in filled if len(row) > 1]
    if columns == 2 and torn and torn * 2 >= len(pairs):
        return True
    broken = sum(1 for row in pairs if _runs_on(row))
    return broken >= 2 and broken * 2 >= len(pairs)


def _runs_on(row: Sequence[str]) -> bool:
    """A sentence cut in two: the next cell goes on in lower case, and together they fill a line."""
    if len(row) != 2 or len(row[0]) <= 20 or len(row[0]) + len(row[1]) < 40:
        return False
    return row[1][:1].islower() and not row[0].rstrip().endswith(_ENDS_SENTENCE)


def render(rows: Rows, shape: Shape) -> str:
    """Rows of trimmed cells as markdown: a pipe table, paragraphs, one paragraph, lines, a fenced block."""
    if shape == "table":
        width = max(map(len, rows))
        squared = [[*map(_cell, row), *[""] * (width - len(row))] for row in rows]
        lines = [f"| {' | '.join(row)} |" for row in squared]
        return "\n".join([lines[0], "|" + "---|" * width, *lines[1:]])
    # A cell that spans columns is given once for each of them.
    lines = [" ".join(cell for cell, _ in groupby(row) if cell) for row in rows]
    lines = [line for line in lines if line]
    if shape == "code":
        return fenced(lines)
    return {"cells": "\n\n", "lines": "\n"}.get(shape, " ").join(lines)


def fenced(lines: Sequence[str], language: str = "") -> str:
    fence = "```"
    while any(line.lstrip().startswith(fence) for line in lines):
        fence += "`"
    return "\n".join([fence + language, *lines, fence])


def _cell(text: str) -> str:
    return text.replace("\n", " ").replace("|", "\\|").strip()
