"""Tests of listings in parts, of bold text and of names in a fixed-width font."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.support import pdfs
from towpath.model.content import Box
from towpath.readers.ocr.settings import OcrSettings
from towpath.readers.pdf.classify_tables import fenced_code
from towpath.readers.pdf.inline_bold import limit_bold
from towpath.readers.pdf.join_code import join_code
from towpath.readers.pdf.page_model import PageBlock
from towpath.readers.pdf.reader import read_pdf


def _code(top: float, *lines: str, left: float = 0.1, width: float = 0.2) -> PageBlock:
    box = Box(left, top, left + width, top + 0.02 * len(lines))
    return PageBlock("code", fenced_code(lines), box, is_monospace=True)


def test_parts_of_a_listing_are_one_block_with_its_blank_line() -> None:
    blocks = [_code(0.1, "open upper", "fill"), _code(0.16, "close upper"), _code(0.18, "leave")]

    (block,) = join_code(blocks)

    assert block.text == fenced_code(["open upper", "fill", "", "close upper", "leave"])
    assert block.box == Box(0.1, 0.1, 0.1 + 0.2, 0.18 + 0.02)


def test_an_indented_part_stays_indented() -> None:
    blocks = [_code(0.1, "0123456789"), _code(0.12, "abcde", left=0.14, width=0.1)]

    assert join_code(blocks)[0].text == fenced_code(["0123456789", "  abcde"])


def test_a_bracket_alone_between_code_is_code() -> None:
    bracket = PageBlock("paragraph", "{", Box(0.1, 0.12, 0.11, 0.14))

    (block,) = join_code([_code(0.1, "if open"), bracket, _code(0.14, "leave")])

    assert "if open\n{\nleave" in block.text


def test_listings_far_apart_stay_apart() -> None:
    assert len(join_code([_code(0.1, "open"), _code(0.3, "close")])) == 2


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("**Lock (1810): opened in** the year", "**Lock (1810):** opened in the year"),
        ("**Gate** holds the water", "**Gate** holds the water"),
        ("**A line of seven words in bold** goes on", "A line of seven words in bold goes on"),
        ("**All of it is bold, the whole paragraph.**", "**All of it is bold, the whole paragraph.**"),
        ("No **word: here** at the beginning", "No **word: here** at the beginning"),
    ],
)
def test_a_bold_beginning_ends_with_its_term(text: str, expected: str) -> None:
    assert limit_bold(text) == expected


def _list_with_a_long_name(canvas: Any) -> None:
    canvas.setFont("Times-Roman", 10)
    canvas.drawString(
        72, 720, "The keeper has two lists of all the gates that were ever built on this canal:"
    )
    canvas.drawString(
        80, 700, "• The first list is kept in the office of the company beside the upper lock, see"
    )
    canvas.setFont("Courier", 10)
    canvas.drawString(90, 688, "canal/gates/first-list")
    canvas.setFont("Times-Roman", 10)
    canvas.drawString(80, 670, "• The second list is kept in the house of the keeper.")


def test_the_last_line_of_a_list_item_is_no_code(tmp_path: Path) -> None:
    path = pdfs.drawing(tmp_path / "list.pdf", _list_with_a_long_name)

    markdown = read_pdf(path, ocr=OcrSettings("off")).markdown

    assert "```" not in markdown
    assert "beside the upper lock, see canal/gates/first-list" in markdown
