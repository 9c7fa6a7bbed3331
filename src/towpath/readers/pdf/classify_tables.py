"""Distinguishes real tables from contents pages, listings and prose in columns, and renders them.

Rule-based engines detect too many tables; a false one scatters a paragraph over cells. Rows that are not a
table are rendered as lines or paragraphs.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import groupby, pairwise
from typing import Literal

Rows = Sequence[Sequence[str]]
Shape = Literal["table", "cells", "prose", "section", "lines", "list", "code", "notes", "index"]

# Real invoices have as few as 36 % filled cells.
_MIN_FILLED_SHARE = 0.35
# Without ruled lines, fewer rows are no evidence of a table: a header and two rows.
_MIN_ROWS = 3
# Contents pages are in the first eighth of a document (seen: 9 of 193 pages).
_CONTENTS_SHARE = 8
_LONG_CELL = 500
_SHORT_CELL = 40
# Words of a note with its label: more than this.
_MIN_NOTE_WORDS = 4
# Words of a term in a list of terms, on average.
_MAX_TERM_WORDS = 4
_LEADERS = re.compile(r"…|(?:\.\s?){4,}|(?:·\s?){4,}")
# A title, dot leaders and its page numbers: no data table has its only number there.
_LEADERS_AND_PAGE = re.compile(
    r"^(?:[^\w\s]{0,3}[^\W\d]|[A-Z\d]{1,2}(?:\.\d+)*\.?\s)[^…]*…[\s.…]*(?:\d{1,4}(?:,\s+\d{1,4})*|[ivxlc]+)$"
)
_BOX_DRAWING = re.compile("[\u2500-\u257f]")
_PAGE_NUMBERS = re.compile(r"(?:\d+|[ivxlc]+)(?:\s+(?:\d+|[ivxlc]+))*", re.IGNORECASE)
_SECTION = re.compile(r"(?:[A-Z]|\d+)(?:\.\d+)*\.?(?:\s|$)")
_SECTION_NUMBER = re.compile(r"(?:\d{1,3}|[A-Z])(?:\.\d{1,3})+\.?(?=\s|$)")
#: A bullet or a number that begins a list item or a numbered paragraph.
LIST_MARKER = re.compile(
    r"[•▪◦‣●○■□–—*·➢✓-]|\(?(?:\d{1,3}|[a-zA-Z]|[ivx]{1,5})[.)]|\[\d{1,3}\]|§?\s?\d{1,3}(?:\.\d{1,3}){1,4}\.?"
)
#: Labels of boxes in manuals; the row of such a box is no row of a table.
NOTE_LABELS = frozenset(
    "note notes tip hint important warning caution danger attention "
    "hinweis tipp wichtig warnung achtung vorsicht anmerkung "
    "remarque astuce conseil avertissement attention nota consejo sugerencia importante advertencia aviso atención "
    "suggerimento avvertimento avviso attenzione dica cuidado opmerking waarschuwing "
    "примечание подсказка предупреждение внимание важно".split()
)
# The page numbers after a term: "28, 55-57".
_INDEX_PAGES = re.compile(r"(?:\d{1,4}|[ivxlc]+)(?:\s*[,–-]\s*(?:\d{1,4}|[ivxlc]+))*")
# An index is in the last part of a long document; there, half of the cells are enough.
_INDEX_SHARE, _INDEX_PAGE_COUNT = 0.85, 20
_MIN_INDEX_CELLS = 6
# The kind of a function or variable, at the right margin of its line in manuals: "[Function]".
_KIND_OF_NAME = re.compile(r"\[[A-Z][^\W\d]+(?: [^\W\d]+)*\]")
_ENDS_SENTENCE = (".", ":", ";", "!", "?", ")", "”", '"')


def classify_rows(
    rows: Rows, page: int, page_count: int, *, torn_rows: int = 0, is_ruled: bool = False
) -> Shape:
    """Classify the rows of a detected table on page ``page`` (from 1) of ``page_count``.

    ``torn_rows`` is the number of rows whose cells the engine cut out of one text run at a guessed position.
    ``is_ruled`` says that lines are drawn around the cells.
    """
    columns = max(map(len, rows), default=0)
    filled = [[cell for cell in row if cell.strip()] for row in rows]
    if any(_BOX_DRAWING.search(cell) for row in filled for cell in row):
        return "code"
    if not is_ruled and sum(map(_has_typed_lines, filled)) * 2 >= len(rows):
        return "code"
    if columns < 2:
        return "cells"
    if _are_notes(rows):
        return "notes"
    if not is_ruled:
        if _is_index(filled, is_late=page > max(_INDEX_PAGE_COUNT, _INDEX_SHARE * page_count)):
            return "index"
        if _is_list(rows):
            return "list"
        if _is_section(rows):
            return "section"
        if len(rows) < 2 or _is_prose(filled, columns, torn_rows):
            return "prose"
        if _is_definition_list(rows):
            return "list"
        is_sparse = sum(map(len, filled)) < _MIN_FILLED_SHARE * len(rows) * columns
        is_sparse = is_sparse or _has_scattered_sentences(filled)
        if all(_KIND_OF_NAME.fullmatch(row[-1].strip()) for row in rows):
            return "lines"
        if is_sparse or (len(rows) < _MIN_ROWS and not _is_full(filled, columns)):
            return "lines"
    return "lines" if _is_table_of_contents(rows, page, page_count) else "table"


def _has_typed_lines(row: Sequence[str]) -> bool:
    """True if the lines between columns are typed as characters: "| int", "| 0 |"."""
    return any(cell.startswith("| ") or cell.endswith(" |") or cell == "|" for cell in row)


def is_list(rows: Rows) -> bool:
    """True if the rows are list items, or terms with sentences that explain them."""
    return max(map(len, rows), default=0) > 1 and (_is_list(rows) or _is_definition_list(rows))


def are_terms(rows: Rows) -> bool:
    """True if the rows have two columns: short terms, and a text behind most of them."""
    if max(map(len, rows)) != 2:
        return False
    terms = [row[0].strip() for row in rows if row[0].strip()]
    explained = sum(1 for row in rows if row[0].strip() and row[-1].strip())
    words = sum(len(term.split()) for term in terms)
    return explained * 3 >= len(rows) * 2 and words <= _MAX_TERM_WORDS * len(terms)


def _are_notes(rows: Rows) -> bool:
    """True if the rows are boxes with the label of a note and its text."""
    return all(map(_is_note, rows))


def _is_note(row: Sequence[str]) -> bool:
    cells = [cell for cell in row if cell.strip()]
    label = cells[0].split()[0].strip(":*").casefold() if cells else ""
    return label in NOTE_LABELS and len(" ".join(cells).split()) > _MIN_NOTE_WORDS


def _is_index(filled: Sequence[Sequence[str]], *, is_late: bool) -> bool:
    """True if most cells are entries of an index: a term with page numbers, also in two cells."""
    cells = [cell for row in filled for cell in row]
    entries = sum(1 for cell in cells if _is_index_entry(cell))
    for row in filled if is_late else ():
        entries += 2 * sum(
            1 for term, pages in pairwise(row) if term.endswith(",") and _INDEX_PAGES.fullmatch(pages)
        )
    needed = len(cells) / 2 if is_late else len(cells) * 2 / 3
    return len(cells) >= _MIN_INDEX_CELLS and entries >= needed


def _is_index_entry(cell: str) -> bool:
    term, _, pages = cell.rpartition(",")
    return bool(term) and not term[0].isdigit() and _INDEX_PAGES.fullmatch(pages.strip()) is not None


def _is_full(filled: Sequence[Sequence[str]], columns: int) -> bool:
    """True if three or more columns are filled with short cells and numbers, as in a header and its only row."""
    if columns < 3 or not any(map(_is_number, filled[-1])):
        return False
    return all(len(row) == columns and max(map(len, row)) < _SHORT_CELL for row in filled)


def _is_definition_list(rows: Rows) -> bool:
    """True if the rows are terms with sentences that explain them."""
    if max(map(len, rows)) != 2:
        return False
    entries: list[list[str]] = []
    for row in rows:
        if row[0].strip() or not entries:
            entries.append([row[0].strip(), " ".join(row[1:]).strip()])
        else:
            entries[-1][1] = f"{entries[-1][1]} {' '.join(row[1:])}".strip()
    pairs = [entry for entry in entries if entry[0] and entry[1]]
    if len(pairs) * 3 < len(entries) * 2:
        return False
    sentences = sum(1 for _, text in pairs if text.endswith((".", ";", ":", ")")) and len(text.split()) > 1)
    words = sum(len(text.split()) for _, text in pairs)
    terms = sum(len(term.split()) for term, _ in pairs)
    return words >= 3 * len(pairs) and sentences * 2 >= len(pairs) and terms <= 4 * len(pairs)


def _has_scattered_sentences(filled: Sequence[Sequence[str]]) -> bool:
    """True if a quarter of the rows are sentences that run on from cell to cell."""
    return sum(map(_runs_on, filled)) * 4 >= len(filled)


def _runs_on(row: Sequence[str]) -> bool:
    if len(row) < 3 or sum(len(cell.split()) for cell in row) < 8:
        return False
    continued = sum(
        1 for left, right in pairwise(row) if right[:1].islower() and not left.endswith(_ENDS_SENTENCE)
    )
    return continued * 2 >= len(row) - 1


def _is_table_of_contents(rows: Rows, page: int, page_count: int) -> bool:
    endings = sum(1 for row in rows if _LEADERS_AND_PAGE.search(" ".join(row).strip()))
    if endings * 2 >= len(rows):
        return True
    numbered = [row for row in rows if row and _PAGE_NUMBERS.fullmatch(row[-1].strip(" .…"))]
    page_numbers = [int(number) for row in numbered for number in re.findall(r"\d+", row[-1])]
    if len(numbered) * 10 < len(rows) * 6 or page_numbers != sorted(page_numbers):
        return False
    leaders = sum(1 for row in rows if any(_LEADERS.search(cell) for cell in row))
    # A data table with dot leaders has more than one column of numbers.
    if leaders * 3 >= len(rows) and not any(_is_number(cell) for row in numbered for cell in row[1:-1]):
        return True
    dotted = sum(1 for row in rows if _SECTION_NUMBER.match(" ".join(row).strip()))
    if dotted * 2 >= len(rows) and max(page_numbers, default=0) <= page_count:
        return True
    if page > max(3, page_count // _CONTENTS_SHARE):
        return False
    sections = sum(1 for row in rows if _SECTION.match(" ".join(row).strip()))
    if dotted * 4 >= len(rows) and max(page_numbers, default=0) <= page_count:
        return True
    return sections * 2 >= len(rows) or len(rows[0]) == 2


def _is_number(cell: str) -> bool:
    return any(map(str.isdigit, cell)) and not any(map(str.isalpha, cell))


def _is_section(rows: Rows) -> bool:
    """True if the first row is a numbered heading and the others are the beginning of its text."""
    if max(map(len, rows)) > 3 or not _SECTION_NUMBER.fullmatch(rows[0][0].strip()):
        return False
    others = [row[0].strip() for row in rows[1:]]
    return not any(_SECTION_NUMBER.fullmatch(cell) or _is_number(cell) for cell in others)


def _is_list(rows: Rows) -> bool:
    """True if the first cells are bullets or numbers and the others are sentences."""
    marked = [row for row in rows if row[0].strip()]
    markers = sum(1 for row in marked if LIST_MARKER.fullmatch(row[0].strip()))
    if not marked or markers * 10 < len(marked) * 8:
        return False
    texts = [" ".join(filter(None, row[1:])) for row in rows]
    texts = [text for text in texts if text.strip()]
    if not texts:
        return False
    bullets = all(len(row[0].strip()) == 1 and not row[0].strip().isalnum() for row in marked)
    words = sum(len(text.split()) for text in texts) / len(texts)
    several = sum(1 for row in rows if sum(1 for cell in row[1:] if cell.strip()) > 1)
    return bullets or (words >= 5 and several * 3 < len(rows))


def _is_prose(filled: Sequence[Sequence[str]], columns: int, torn_rows: int) -> bool:
    cells = [cell for row in filled for cell in row]
    if columns <= 2:
        length = sum(map(len, cells))
        if sum(len(cell) for cell in cells if len(cell) > _LONG_CELL) * 2 > length:
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
    if shape == "notes":
        return "\n\n".join(map(_note, rows))
    if shape == "index":
        columns = range(max(map(len, rows)))
        return "\n".join(
            row[column] for column in columns for row in rows if column < len(row) and row[column]
        )
    # The engine repeats a cell that spans columns once per column.
    lines = [" ".join(cell for cell, _ in groupby(row) if cell) for row in rows]
    lines = [line for line in lines if line]
    if shape == "code":
        return fenced_code(lines)
    if shape == "section":
        return "\n\n".join(filter(None, (lines[0], " ".join(lines[1:]))))
    return {"cells": "\n\n", "lines": "\n", "list": "\n"}.get(shape, " ").join(lines)


def _note(row: Sequence[str]) -> str:
    label, _, text = " ".join(cell for cell, _ in groupby(filter(None, row))).partition(" ")
    return f"**{label.strip('*')}** {text}"


def list_items(rows: Rows) -> list[tuple[str, str]]:
    """Marker and text of each item of rows with the shape ``list``; rows without marker continue the item."""
    items: list[tuple[str, str]] = []
    if not any(LIST_MARKER.fullmatch(row[0].strip()) for row in rows):
        for row in rows:
            term, text = row[0].strip(), " ".join(row[1:]).strip()
            if term or not items:
                items.append(
                    ("-", f"**{term}** {text}" if term and "*" not in term else f"{term} {text}".strip())
                )
            else:
                items[-1] = ("-", f"{items[-1][1]} {text}")
        return items
    for row in rows:
        marker = row[0].strip()
        text = " ".join(cell for cell, _ in groupby(row[1:]) if cell)
        if LIST_MARKER.fullmatch(marker):
            items.append((marker, text))
        elif items:
            items[-1] = (items[-1][0], " ".join(filter(None, (items[-1][1], marker, text))))
        else:
            items.append(("", " ".join(filter(None, (marker, text)))))
    return items


def fenced_code(lines: Sequence[str], language: str = "") -> str:
    """A fenced code block."""
    fence = "```"
    while any(line.lstrip().startswith(fence) for line in lines):
        fence += "`"
    return "\n".join([fence + language, *lines, fence])


def _cell(text: str) -> str:
    return text.replace("\n", " ").replace("|", "\\|").strip()
