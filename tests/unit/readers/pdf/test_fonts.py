"""Tests of decisions by fonts: code and text in one line, lists of terms, and which bold lines are headings."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.support import pdfs
from towpath.model.content import Box
from towpath.readers.ocr.settings import OcrSettings
from towpath.readers.pdf.classify_tables import classify_rows
from towpath.readers.pdf.heading_styles import HeadingStyles, labels_as_text
from towpath.readers.pdf.outline import apply_outline
from towpath.readers.pdf.page_layout import TextRun, is_monospace
from towpath.readers.pdf.page_model import Bookmark, PageBlock, PdfPage
from towpath.readers.pdf.reader import read_pdf
from towpath.readers.pdf.term_lists import find_terms

PROSE = (
    "A keeper opens the gate before a boat comes in, and he closes it behind the boat as soon",
    "as it lies still. Then the water rises, and the boat with it, until both are level with",
    "the next reach of the canal and the upper gate can be opened by hand without much effort.",
)


def markdown_of(path: Path) -> str:
    return read_pdf(path, ocr=OcrSettings("off")).markdown


def _prose(canvas: Any, top: float) -> None:
    canvas.setFont("Times-Roman", 10)
    for index, line in enumerate(PROSE):
        canvas.drawString(72, top - 12 * index, line)


def test_a_line_that_only_begins_in_a_fixed_width_font_is_text(tmp_path: Path) -> None:
    def draw(canvas: Any) -> None:
        _prose(canvas, 740)
        canvas.setFont("Courier", 10)
        canvas.drawString(90, 690, "lock --fill chamber --slowly")
        canvas.drawString(90, 678, "lock --open upper --wait 30")
        text = canvas.beginText(72, 640)
        text.setFont("Courier", 10)
        text.textOut("/etc/locks")
        text.setFont("Times-Roman", 10)
        text.textOut(" contains one file for each lock of the canal, which its keeper may change,")
        canvas.drawText(text)
        canvas.drawString(72, 628, "but nobody else. Its name is that of the lock in lower case.")
        _prose(canvas, 600)

    markdown = markdown_of(pdfs.drawing(tmp_path / "mixed.pdf", draw))

    assert re.findall(r"```\n(.*?)\n```", markdown, re.DOTALL) == [
        "lock --fill chamber --slowly\nlock --open upper --wait 30"
    ]
    assert "/etc/locks contains one file for each lock of the canal" in markdown


def test_framed_code_between_brackets_is_code(tmp_path: Path) -> None:
    lines = ("{", "while chamber.level < upper.level:", "chamber.let_in(water)", "}")

    def draw(canvas: Any) -> None:
        _prose(canvas, 760)
        for left, width in ((70, 20), (90, 440)):
            canvas.rect(left, 660, width, 56)
        canvas.setFont("Courier", 9)
        for index, line in enumerate(lines):
            canvas.drawString(74, 704 - 12 * index, line)
        _prose(canvas, 630)

    markdown = markdown_of(pdfs.drawing(tmp_path / "framed.pdf", draw))

    assert "```\n" + "\n".join(lines) + "\n```" in markdown


def test_a_numbered_listing_is_code_and_no_table(tmp_path: Path) -> None:
    rows = [
        ("include", f"/etc/locks/schema/{name}") for name in ("upper", "lower", "chamber", "gate", "boat")
    ]

    def draw(canvas: Any) -> None:
        _prose(canvas, 760)
        for index, words in enumerate([*rows, (), *rows]):
            canvas.setFont("Times-Roman", 6)
            canvas.drawRightString(76, 700 - 10 * index, str(index + 1))
            canvas.setFont("Courier", 8)
            for column, word in enumerate(words):
                canvas.drawString(90 + 80 * column, 700 - 10 * index, word)

    markdown = markdown_of(pdfs.drawing(tmp_path / "listing.pdf", draw))

    assert "|" not in markdown
    (code,) = re.findall(r"```\n(.*?)\n```", markdown, re.DOTALL)
    assert len(code.split()) == 31


def run(text: str, x: float, y: float, font: str = "Times-Roman", width: float = 0.0) -> TextRun:
    return TextRun(text, x, y, x + (width or 5 * len(text)), y + 10, font)


def test_options_with_their_meaning_are_a_list_of_terms() -> None:
    lines = [
        [run("-a", 72, 100, "Courier"), run("Open all gates.", 130, 100), run("See page 9.", 260, 100)],
        [run("-w", 72, 120, "Courier"), run("Wait until the water is level with the upper", 130, 120)],
        [run("reach.", 130, 132)],
        [run("-q", 72, 152, "Courier"), run("Say nothing.", 130, 152)],
    ]

    terms = find_terms(lines)

    assert [term.term[0].text for term in terms] == ["-a", "-w", "-q"]
    assert [len(term.lines) for term in terms] == [1, 2, 1]


def test_a_table_with_a_header_is_no_list_of_terms() -> None:
    lines = [
        [run("Command", 72, 88, "Times-Bold"), run("What it does for you", 130, 88, "Times-Bold")],
        [run("open", 72, 100, "Courier"), run("opens the upper gate", 130, 100)],
        [run("shut", 72, 112, "Courier"), run("shuts the lower gate", 130, 112)],
    ]

    assert find_terms(lines) == []


def test_names_beside_names_are_no_list_of_terms() -> None:
    lines = [
        [run(name, 72, 100 + 12 * index, "Courier"), run(name.upper(), 130, 100 + 12 * index)]
        for index, name in enumerate(("upper", "lower", "chamber"))
    ]

    assert find_terms(lines) == []


def test_a_list_of_terms_is_rendered_as_one(tmp_path: Path) -> None:
    def draw(canvas: Any) -> None:
        _prose(canvas, 760)
        for index, (term, text) in enumerate(
            (("-a", "Open all gates of the lock"), ("-q", "Say nothing at all"), ("-w", "Wait for the water"))
        ):
            canvas.setFont("Courier", 10)
            canvas.drawString(90, 700 - 20 * index, term)
            canvas.setFont("Times-Roman", 10)
            canvas.drawString(150, 700 - 20 * index, text)

    markdown = markdown_of(pdfs.drawing(tmp_path / "terms.pdf", draw))

    assert "- **-a** Open all gates of the lock" in markdown
    assert "|" not in markdown


def test_a_sentence_below_a_table_is_no_row_of_it(tmp_path: Path) -> None:
    def draw(canvas: Any) -> None:
        canvas.setFont("Times-Roman", 10)
        for index, row in enumerate(
            (("Lock", "Rise"), ("Upper", "2.31"), ("Lower", "1.98"), ("Old", "3.02"))
        ):
            for column, cell in enumerate(row):
                canvas.drawString(72 + 60 * column, 740 - 14 * index, cell)
        canvas.drawString(72, 682, "The rise of each lock was measured in the dry summer of that year.")

    markdown = markdown_of(pdfs.drawing(tmp_path / "below.pdf", draw))

    assert "The rise of each lock was measured in the dry summer of that year." in markdown
    assert not any("measured" in line for line in markdown.splitlines() if line.startswith("|"))


@pytest.mark.parametrize("font", ["35c374+mplus1mn-regular", "SFTT1000", "ABCDEF+CascadiaCode-Regular"])
def test_names_of_fixed_width_fonts(font: str) -> None:
    assert is_monospace(font)


def test_functions_with_their_kind_at_the_margin_are_no_table() -> None:
    rows = [["open-gate lock", "[Function]"], ["shut-gate lock", "[Function]"], ["*lock*", "[Variable]"]]

    assert classify_rows(rows, 9, 90) == "lines"


def test_an_index_with_page_numbers_in_cells_of_their_own_is_no_table() -> None:
    rows = [["boat, 3, 9", "gate,", "4, 17"], ["bridge, xi", "horse,", "2"], ["canal, 1-5", "--fill, 31", ""]]

    assert classify_rows(rows, 88, 90) == "index"


def _page(*blocks: PageBlock, number: int = 1) -> PdfPage:
    return PdfPage(number, 612, 792, blocks=list(blocks), font_sizes=Counter({10.0: 2000}))


def _heading(text: str, y: float, size: float, font: str = "Times-Bold") -> PageBlock:
    return PageBlock("heading", text, Box(0.1, y, 0.9, y + 0.02), level=3, size=size, font=font)


def test_larger_headings_below_the_bookmarks_stay_headings() -> None:
    titles = ("Upper gates", "Lower gates", "Paddles")
    pages = [
        _page(
            _heading("1 Locks", 0.1, 14.0),
            *(_heading(title, 0.2 + 0.1 * index, 12.0) for index, title in enumerate(titles)),
            _heading("Chapter 2", 0.6, 12.0),
            _heading("Note", 0.7, 12.0),
            _heading("lock-fill", 0.8, 12.0, "Courier-Bold"),
            _heading("Rise", 0.9, 10.0),
        )
    ]

    assert apply_outline(pages, [Bookmark("1 Locks", 0, 0, 0.1)])

    found = [(block.text, block.level) for block in pages[0].blocks if block.kind == "heading"]
    assert found == [("1 Locks", 1), ("Upper gates", 2), ("Lower gates", 2), ("Paddles", 2)]


def test_bold_lines_in_the_size_of_the_text_are_labels_beside_larger_headings() -> None:
    pages = [
        _page(_heading(f"{number}. Locks", 0.1, 14.0), _heading("Rise", 0.2, 10.0), number=number)
        for number in range(1, 6)
    ]
    pages[0].blocks.append(_heading("1.1 Gates", 0.3, 10.0))

    labels_as_text(pages, HeadingStyles(pages))

    assert [block.text for block in pages[0].blocks if block.kind == "heading"] == ["1. Locks", "1.1 Gates"]
    assert pages[0].blocks[1].bold


def test_bold_lines_are_headings_where_nothing_is_larger() -> None:
    pages = [_page(_heading("Locks", 0.1, 10.0), _heading("Gates", 0.3, 10.0))]

    labels_as_text(pages, HeadingStyles(pages))

    assert [block.kind for block in pages[0].blocks] == ["heading", "heading"]
