"""Decides whether rows without ruled lines are a table: by number columns, header, caption or short cells.

liteparse takes any two texts with a gap between them for columns. Lists of terms, options and key bindings, listings
and drawings have such gaps too, so the gap alone is no evidence. Rows without evidence become text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from statistics import median
from typing import TYPE_CHECKING, Literal

from towpath.readers.pdf.page_layout import PageLayout, Rectangle, TextRun

if TYPE_CHECKING:
    from liteparse.types import LayoutCell

CellRows = Sequence[Sequence["LayoutCell"]]
Evidence = Literal["table", "code", "text"]

_MIN_ROWS = 3
# Share of the cells of a column that must be numbers.
_NUMERIC_SHARE = 0.7
_MAX_LETTERS_OF_NUMBER = 2
# Cells of a column begin, end or are centered within this distance, in points; at least this share of them does.
_TOLERANCE = 3.0
_ALIGNED_SHARE = 0.7
# A table of words needs this many columns, this share of filled cells, and at most so many words per cell.
_MIN_COLUMNS = 3
_FILLED_SHARE = 0.75
_MAX_WORDS = 2.5
_MAX_HEADER_WORDS = 5
# Space below a header, in heights of the header.
_MAX_HEADER_SPACE = 2.0
# With a header or a caption, cells may be longer; more words are prose in columns.
_MAX_PROSE_WORDS = 15
# Assignments, arrows, statements and blocks: "= 205;", "==> 0.51".
_PROGRAM_SIGN = re.compile(r"[;{}]|^\s*:?=|==|[-=]>|<[-=]{2}")
# Above this share of text in a fixed-width font, rows are a listing.
_LISTING_SHARE = 0.6
# A page with more of it is typewritten, and its tables are too. A page that is all one listing has a running head or
# a page number in another font.
_TYPEWRITTEN_SHARE = 0.99
# The fonts of a block are known if they are for this share of its text.
_KNOWN_SHARE = 0.25
_CAPTION = re.compile(
    r"\W*(?:table|tabelle|tableau|tabla|tabella|tabela|tabel|таблица|表)\s*(?:[A-Z\d]+[.\-–])*\d+",
    re.IGNORECASE,
)
# The pieces of high brackets, in Unicode and in the private codes of Symbol fonts.
_BRACKET_PIECE = re.compile("[\u239b-\u23ad\uf8e6-\uf8fe]")
# Space between a table and its caption, in points.
_CAPTION_SPACE = 30.0
_SECTION_NUMBER = re.compile(r"(?:\d{1,3}|[A-Z])(?:\.\d{1,3})+\.?(?:\s|$)")


def find_evidence(rows: CellRows, runs: Sequence[TextRun], layout: PageLayout) -> Evidence:
    """What the rows are; ``runs`` is the text that they consist of."""
    columns = _columns(rows)
    filled = [cell for column in columns for cell in column if cell.text.strip()]
    words = sum(len(cell.text.split()) for cell in filled) / max(1, len(filled))
    is_aligned = _is_aligned(columns)
    has_header = is_aligned and words <= _MAX_PROSE_WORDS and _has_header(rows, columns, layout)
    if has_header and len(rows) >= (_MIN_ROWS if len(columns) < _MIN_COLUMNS else 2):
        return "table"
    if is_listing(runs, layout):
        return "code"
    is_matrix = any(_BRACKET_PIECE.search(cell.text) for cell in filled)
    if len(rows) < _MIN_ROWS or is_matrix:
        return "text"
    if any(map(_is_numeric, columns[1:])):
        return "table"
    if _monospace_share(runs) > _LISTING_SHARE:
        return "code"
    if not is_aligned or words > _MAX_PROSE_WORDS:
        return "text"
    if _has_caption(rows, layout):
        return "table"
    if any(_is_one_line(row, runs) for row in rows) or not all(_is_aligned([column]) for column in columns):
        return "text"
    is_filled = len(filled) >= _FILLED_SHARE * len(rows) * len(columns)
    return "table" if len(columns) >= _MIN_COLUMNS and is_filled and words <= _MAX_WORDS else "text"


def is_listing(runs: Sequence[TextRun], layout: PageLayout) -> bool:
    """True if the text is in a fixed-width font, on a page that has other fonts too."""
    return _monospace_share(runs) > _LISTING_SHARE and layout.monospace_share <= _TYPEWRITTEN_SHARE


def _monospace_share(runs: Sequence[TextRun]) -> float:
    """The share of text in fixed-width fonts; liteparse does not know the font of some runs in two encodings."""
    length = sum(len(run.text) for run in runs)
    known = sum(len(run.text) for run in runs if run.font)
    monospace = sum(len(run.text) for run in runs if run.is_monospace)
    return monospace / max(1, known if known >= _KNOWN_SHARE * length else length)


def _columns(rows: CellRows) -> list[list[LayoutCell]]:
    width = max(map(len, rows), default=0)
    return [[row[index] for row in rows if index < len(row)] for index in range(width)]


def _is_number(text: str) -> bool:
    """True if a cell is a number, also with a sign, a currency or a short unit; signs of a program are none."""
    if _PROGRAM_SIGN.search(text):
        return False
    characters = [character for character in text if character.isalnum()]
    letters = sum(map(str.isalpha, characters))
    return bool(characters) and characters[0].isdigit() and letters <= _MAX_LETTERS_OF_NUMBER


def _is_numeric(column: Sequence[LayoutCell]) -> bool:
    """True if most cells below the first one are numbers; dashes and other signs stand for missing numbers."""
    texts = [cell.text for cell in column[1:] if any(map(str.isalnum, cell.text))]
    return len(texts) > 1 and sum(map(_is_number, texts)) >= _NUMERIC_SHARE * len(texts)


def _is_one_line(row: Sequence[LayoutCell], runs: Sequence[TextRun]) -> bool:
    """True if the cells are one run of text without gaps."""
    cells = [_compact(cell.text) for cell in row if cell.text.strip()]
    return len(cells) > 1 and any("".join(cells) in _compact(run.text) for run in runs)


def _compact(text: str) -> str:
    return "".join(text.split())


def _is_aligned(columns: Sequence[Sequence[LayoutCell]]) -> bool:
    """True if most cells begin, end or are centered where the others of their column do."""
    aligned = count = 0
    for column in columns:
        boxes = [cell.bbox for cell in column if cell.text.strip() and cell.bbox is not None]
        boxes = [box for box in boxes if box.width > 1]
        places = [(box.x, box.x + box.width, box.x + box.width / 2) for box in boxes]
        count += len(places)
        aligned += max((_same_place(edge) for edge in zip(*places, strict=True)), default=0)
    return aligned >= _ALIGNED_SHARE * count


def _same_place(places: Sequence[float]) -> int:
    middle = median(places)
    return sum(abs(place - middle) <= _TOLERANCE for place in places)


def _has_header(rows: CellRows, columns: Sequence[Sequence[LayoutCell]], layout: PageLayout) -> bool:
    """True if the first row has short cells in a font of their own, or a line below it."""
    header = [cell.text.strip() for cell in rows[0] if cell.text.strip()] if len(rows) > 1 else []
    if len(header) < max(2, len(columns) - 1) or not all(map(_is_name, header)):
        return False
    if _is_far_above(rows):
        return False
    return _has_line_below(rows, layout) or all(
        _is_header_cell(column, layout) for column in columns if column[0].text.strip()
    )


def _is_far_above(rows: CellRows) -> bool:
    """True if there is more space below the first row than below a header, as below a running head."""
    first, second = (_rectangle(row) for row in rows[:2])
    return (
        first is not None
        and second is not None
        and second[1] - first[3] > _MAX_HEADER_SPACE * (first[3] - first[1])
    )


def _is_name(text: str) -> bool:
    """True if a text can be the name of a column: a few words that are no sentence and no section number."""
    is_short = len(text.split()) <= _MAX_HEADER_WORDS and not text.endswith((".", ",", ";"))
    return is_short and any(map(str.isalpha, text)) and not _SECTION_NUMBER.match(text)


def _is_header_cell(column: Sequence[LayoutCell], layout: PageLayout) -> bool:
    """True if the first cell of a column is in a font that its other cells do not have."""
    first, *others = [_fonts(cell, layout) for cell in column if cell.text.strip()]
    below = {font for fonts in others for font in fonts}
    return bool(first) and bool(below) and not first & below


def _fonts(cell: LayoutCell, layout: PageLayout) -> set[tuple[str, float]]:
    box = cell.bbox
    runs = layout.runs_inside(box.x, box.y, box.width, box.height) if box is not None else []
    return {(run.font, round(run.font_size)) for run in runs}


def _has_line_below(rows: CellRows, layout: PageLayout) -> bool:
    """True if a horizontal line is drawn between the first row and the second."""
    first, second = (_rectangle(row) for row in rows[:2])
    table = _rectangle([cell for row in rows for cell in row])
    if first is None or second is None or table is None:
        return False
    return any(
        (first[1] + first[3]) / 2 < edge.position < (second[1] + second[3]) / 2
        and min(edge.end, table[2]) - max(edge.start, table[0]) > 0.6 * (table[2] - table[0])
        for edge in layout.horizontal
    )


def _has_caption(rows: CellRows, layout: PageLayout) -> bool:
    """True if a line directly above or below the rows says that they are a table."""
    table = _rectangle([cell for row in rows for cell in row])
    if table is None:
        return False
    x0, y0, x1, y1 = table
    above = layout.runs_inside(0, y0 - _CAPTION_SPACE, layout.width, _CAPTION_SPACE)
    below = layout.runs_inside(0, y1, layout.width, _CAPTION_SPACE)
    return any(run.x0 < x1 and run.x1 > x0 and _CAPTION.match(run.text) for run in (*above, *below))


def _rectangle(cells: Sequence[LayoutCell]) -> Rectangle | None:
    boxes = [cell.bbox for cell in cells if cell.bbox is not None and cell.text.strip()]
    if not boxes:
        return None
    return (
        min(box.x for box in boxes),
        min(box.y for box in boxes),
        max(box.x + box.width for box in boxes),
        max(box.y + box.height for box in boxes),
    )
