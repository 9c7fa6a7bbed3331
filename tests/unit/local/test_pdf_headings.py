"""The outline of a PDF makes its headings; running headers and page numbers leave the text."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.support import pdfs
from tests.support.pdfs import Mark
from tests.support.reading import page_text
from towpath.model.content import Box
from towpath.providers.local.ocr import OcrSettings
from towpath.providers.local.pdf import read_pdf
from towpath.providers.local.pdf.outline import with_outline
from towpath.providers.local.pdf.pages import Bookmark, PageRead, Piece
from towpath.providers.local.pdf.running import without_running_lines

NO_MARKS: list[list[Mark]] = [[]]


def headings(markdown: str) -> list[str]:
    return re.findall(r"^#+ .*", markdown, re.MULTILINE)


def markdown_of(path: Path) -> str:
    return read_pdf(path, ocr=OcrSettings(enabled=False)).markdown


def page(*pieces: Piece, number: int = 1) -> PageRead:
    return PageRead(number, 612, 792, pieces=list(pieces))


def at(y: float, height: float = 0.02) -> Box:
    return Box(0.1, y, 0.9, y + height)


def test_bookmarks_become_headings_with_their_level(tmp_path: Path) -> None:
    marks = [
        [Mark("Part one")],
        [Mark("1 Locks", 1), Mark("1.1 Staircase locks", 2)],
        [Mark("2 Boats", 1, printed="BOATS")],
    ]

    got = markdown_of(pdfs.book(tmp_path / "book.pdf", marks))

    assert headings(got) == ["# Part one", "## 1 Locks", "### 1.1 Staircase locks", "## BOATS"]


def test_a_bookmark_whose_title_is_not_printed_stands_where_it_leads(tmp_path: Path) -> None:
    marks = [[Mark("Locks"), Mark("Unprinted", 1, printed=None), Mark("Boats")]]

    got = markdown_of(pdfs.book(tmp_path / "book.pdf", marks))

    assert headings(got) == ["# Locks", "## Unprinted", "# Boats"]
    before, after = got.split("## Unprinted")
    assert "(1.0)" in before
    assert "(1.1)" in after
    assert "(1.1)" not in before


def test_what_rules_took_for_a_heading_becomes_bold_text() -> None:
    pages = [
        page(
            Piece("heading", "1. Introduction", at(0.1), level=2),
            Piece("heading", "Note", at(0.2), level=3),
            Piece("paragraph", "Mind the gate.", at(0.3)),
        )
    ]

    assert with_outline(pages, [Bookmark("Introduction", 0, 0, 0.1)])

    assert [(piece.kind, piece.text, piece.level, piece.bold) for piece in pages[0].pieces] == [
        ("heading", "1. Introduction", 1, False),
        ("paragraph", "Note", 0, True),
        ("paragraph", "Mind the gate.", 0, False),
    ]


def test_a_title_run_together_with_its_text_is_parted_from_it() -> None:
    pages = [page(Piece("paragraph", "4.2 Lock gates They are made of oak.", at(0.4)))]

    with_outline(pages, [Bookmark("4.2 Lock gates", 1, 0, 0.39)])

    assert [(piece.kind, piece.text) for piece in pages[0].pieces] == [
        ("heading", "4.2 Lock gates"),
        ("paragraph", "They are made of oak."),
    ]


def test_a_title_over_several_lines_becomes_one_heading() -> None:
    pages = [
        page(
            Piece("heading", "Of the raising and", at(0.1), level=1),
            Piece("heading", "lowering of boats", at(0.13), level=1),
            Piece("paragraph", "It takes ten minutes.", at(0.2)),
        )
    ]

    with_outline(pages, [Bookmark("Of the raising and lowering of boats", 0, 0, 0.1)])

    assert pages[0].pieces[0].text == "Of the raising and lowering of boats"
    assert len(pages[0].pieces) == 2


def test_an_outline_about_something_else_is_left_aside() -> None:
    pages = [page(Piece("heading", "Locks", at(0.1), level=1), Piece("paragraph", "Text.", at(0.2)))]

    assert not with_outline(pages, [Bookmark(f"scan_{number}.tif", 0, 0, None) for number in range(5)])

    assert pages[0].pieces[0].kind == "heading"
    assert len(pages[0].pieces) == 2


def test_below_an_outline_of_parts_the_sections_stay_headings() -> None:
    pages = [
        page(Piece("heading", f"Section {number}", at(0.1), level=1), number=number)
        for number in range(1, 41)
    ]
    pages[0].pieces.insert(0, Piece("paragraph", "Part one", at(0.05)))

    with_outline(pages, [Bookmark("Part one", 0, 0, 0.05)])

    assert [(piece.text, piece.level) for piece in pages[0].pieces] == [("Part one", 1), ("Section 1", 2)]
    assert pages[39].pieces[0].level == 2


def test_tags_make_headings_where_there_is_no_outline(tmp_path: Path) -> None:
    text = "A lock lifts a boat from one reach of a canal to the next, and lowers it again on its way back."
    passages = [("H1", "Locks"), ("P", text), ("H2", "Staircases"), ("P", text), ("P", text)]

    got = markdown_of(pdfs.tagged(tmp_path / "tagged.pdf", passages))

    assert headings(got) == ["# Locks", "## Staircases"]


def test_running_headers_and_page_numbers_leave_the_text(tmp_path: Path) -> None:
    path = pdfs.book(tmp_path / "book.pdf", NO_MARKS * 6, header="Canal Company Ltd", footer="Page {page}")

    got = read_pdf(path, ocr=OcrSettings(enabled=False))

    # The company's name is said once; page numbers say nothing.
    assert got.markdown.count("Canal Company Ltd") == 1
    assert page_text(got, 1).startswith("Canal Company Ltd")
    assert "Page" not in got.markdown


def test_a_header_that_changes_with_the_chapter_goes_by_its_page_number() -> None:
    chapters = ["Locks", "Boats", "Horses", "Bridges"]
    pages = [
        page(
            Piece("paragraph", f"Body text of page {number}, never the same. " * 5, at(0.2, 0.6)),
            Piece(
                "heading", f"{number} Chapter {number // 5 + 1}. {chapters[number // 5]}", at(0.94), level=2
            ),
            number=number,
        )
        for number in range(1, 20)
    ]

    without_running_lines(pages)

    assert {len(page.pieces) for page in pages} == {1}


@pytest.mark.parametrize("pages", [1, 2])
def test_page_one_of_two_goes_even_from_short_letters(tmp_path: Path, pages: int) -> None:
    path = pdfs.book(tmp_path / "letter.pdf", NO_MARKS * pages, footer="Page {page} of 2")

    assert "of 2" not in markdown_of(path)


def test_slides_that_are_all_alike_keep_their_words() -> None:
    pages = [page(Piece("paragraph", "Annual meeting", at(0.05)), number=number) for number in range(1, 9)]

    without_running_lines(pages)

    assert all(page.pieces for page in pages)
