"""Tests of text with gaps and without ruled lines: a table, or not."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from tests.support import pdfs
from towpath.readers.ocr.settings import OcrSettings
from towpath.readers.pdf.reader import read_pdf

NUMBERS = (("Lock", "Length", "Depth"), ("Upper", "31", "4"), ("Middle", "28", "3"), ("Lower", "35", "5"))
WORDS = (
    ("Lock", "Keeper of the lock", "Toll for boats"),
    ("Upper", "Family of the miller", "None on market days"),
    ("Middle", "Vacant", "Paid at the next one"),
    ("Lower", "Boatman from the town", "By the load in tons"),
)
TERMS = (
    ("open", "opens the upper gate of the chamber and waits for the boat"),
    ("fill", "lets water into the chamber until both levels are equal"),
    ("close", "closes the upper gate and reports the level of the water"),
)
LISTING = (
    ("int", "gates;", "/* open */"),
    ("long", "level;", "/* in cm */"),
    ("char", "name;", "/* or 0 */"),
)
COLUMNS = (72, 170, 300)


def _draw(rows: Sequence[Sequence[str]], header: str, font: str, canvas: Any) -> None:
    canvas.setFont("Times-Roman", 10)
    canvas.drawString(72, 760, "The company of the canal describes its locks and their keepers on this page.")
    for number, row in enumerate(rows):
        canvas.setFont(font if number else header, 10)
        for x, text in zip(COLUMNS, row, strict=False):
            canvas.drawString(x, 720 - 14 * number, text)


def _markdown(folder: Path, draw: Callable[[Any], None]) -> str:
    return read_pdf(pdfs.drawing(folder / "page.pdf", draw), ocr=OcrSettings("off")).markdown


def test_columns_of_numbers_are_a_table(tmp_path: Path) -> None:
    markdown = _markdown(tmp_path, partial(_draw, NUMBERS, "Times-Roman", "Times-Roman"))

    assert "| Middle | 28 | 3 |" in markdown


def test_a_header_in_bold_makes_columns_of_words_a_table(tmp_path: Path) -> None:
    markdown = _markdown(tmp_path, partial(_draw, WORDS, "Times-Bold", "Times-Roman"))

    assert "| Upper | Family of the miller | None on market days |" in markdown


def test_terms_with_their_explanations_are_no_table(tmp_path: Path) -> None:
    markdown = _markdown(tmp_path, partial(_draw, TERMS, "Times-Roman", "Times-Roman"))

    assert "|" not in markdown
    assert "lets water into the chamber until both levels are equal" in markdown


def test_a_listing_with_gaps_is_code(tmp_path: Path) -> None:
    markdown = _markdown(tmp_path, partial(_draw, LISTING, "Courier", "Courier"))

    assert "|" not in markdown
    assert "```" in markdown
    assert "level;" in markdown


def _draw_page_of_listing(canvas: Any) -> None:
    canvas.setFont("Times-Roman", 10)
    canvas.drawString(72, 760, "Chapter 2: Locks")
    canvas.setFont("Courier", 10)
    for number in range(40):
        for x, text in zip(COLUMNS, ("Upper lock", f"{number}.50 cm", f"{1000 - number}"), strict=True):
            canvas.drawString(x, 720 - 14 * number, text)


def test_numbers_in_a_listing_that_fills_a_page_are_code(tmp_path: Path) -> None:
    markdown = _markdown(tmp_path, _draw_page_of_listing)

    assert "|" not in markdown
    assert "```" in markdown


ASSIGNMENTS = (("upper", "= 205;"), ("middle", "= 92;"), ("lower", "= 14;"), ("basin", "= 8;"))


def test_assignments_are_no_column_of_numbers(tmp_path: Path) -> None:
    markdown = _markdown(tmp_path, partial(_draw, ASSIGNMENTS, "Times-Roman", "Times-Roman"))

    assert "|" not in markdown
    assert "205" in markdown
