"""Tests of PDF headings from outline and tags, and of running header removal."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.support import pdfs
from tests.support.pdfs import Mark
from tests.support.readers import page_text
from towpath.model.content import Box
from towpath.readers.ocr.settings import OcrSettings
from towpath.readers.pdf.outline import apply_outline
from towpath.readers.pdf.page_model import Bookmark, PageBlock, PdfPage
from towpath.readers.pdf.reader import read_pdf
from towpath.readers.pdf.running_headers import remove_running_headers

NO_MARKS: list[list[Mark]] = [[]]


def headings(markdown: str) -> list[str]:
    return re.findall(r"^#+ .*", markdown, re.MULTILINE)


def markdown_of(path: Path) -> str:
    return read_pdf(path, ocr=OcrSettings("off")).markdown


def page(*blocks: PageBlock, number: int = 1) -> PdfPage:
    return PdfPage(number, 612, 792, blocks=list(blocks))


def at(y: float, height: float = 0.02) -> Box:
    return Box(0.1, y, 0.9, y + height)


def test_bookmarks_become_headings_with_their_level(tmp_path: Path) -> None:
    marks = [
        [Mark("Part one")],
        [Mark("1 Locks", 1), Mark("1.1 Staircase locks", 2)],
        [Mark("2 Boats", 1, printed="BOATS")],
    ]

    markdown = markdown_of(pdfs.book(tmp_path / "book.pdf", marks))

    assert headings(markdown) == ["# Part one", "## 1 Locks", "### 1.1 Staircase locks", "## BOATS"]


def test_a_bookmark_without_printed_title_becomes_a_heading_at_its_target(tmp_path: Path) -> None:
    marks = [[Mark("Locks"), Mark("Unprinted", 1, printed=None), Mark("Boats")]]

    markdown = markdown_of(pdfs.book(tmp_path / "book.pdf", marks))

    assert headings(markdown) == ["# Locks", "## Unprinted", "# Boats"]
    before, after = markdown.split("## Unprinted")
    assert "(1.0)" in before
    assert "(1.1)" in after
    assert "(1.1)" not in before


def test_detected_headings_outside_the_outline_become_bold() -> None:
    pages = [
        page(
            PageBlock("heading", "1. Introduction", at(0.1), level=2),
            PageBlock("heading", "Note", at(0.2), level=3),
            PageBlock("paragraph", "Mind the gate.", at(0.3)),
        )
    ]

    assert apply_outline(pages, [Bookmark("Introduction", 0, 0, 0.1)])

    assert [(block.kind, block.text, block.level, block.bold) for block in pages[0].blocks] == [
        ("heading", "1. Introduction", 1, False),
        ("paragraph", "Note", 0, True),
        ("paragraph", "Mind the gate.", 0, False),
    ]


def test_a_title_joined_with_its_text_is_separated() -> None:
    pages = [page(PageBlock("paragraph", "4.2 Lock gates They are made of oak.", at(0.4)))]

    apply_outline(pages, [Bookmark("4.2 Lock gates", 1, 0, 0.39)])

    assert [(block.kind, block.text) for block in pages[0].blocks] == [
        ("heading", "4.2 Lock gates"),
        ("paragraph", "They are made of oak."),
    ]


def test_a_bookmark_at_the_bottom_of_a_page_finds_its_title_on_the_next() -> None:
    first = page(PageBlock("heading", "1 Boats", at(0.1), level=1), PageBlock("paragraph", "Text.", at(0.2)))
    second = page(
        PageBlock("heading", "2 Weather data", at(0.1), level=1),
        PageBlock("paragraph", "Rain.", at(0.2)),
        number=2,
    )
    outline = [Bookmark("Boats", 0, 0, 0.1), Bookmark("Weather data", 0, 0, 0.85)]

    assert apply_outline([first, second], outline)

    assert [block.text for block in first.blocks] == ["1 Boats", "Text."]
    assert [(block.kind, block.text) for block in second.blocks] == [
        ("heading", "2 Weather data"),
        ("paragraph", "Rain."),
    ]


def test_a_title_over_several_lines_becomes_one_heading() -> None:
    pages = [
        page(
            PageBlock("heading", "Of the raising and", at(0.1), level=1),
            PageBlock("heading", "lowering of boats", at(0.13), level=1),
            PageBlock("paragraph", "It takes ten minutes.", at(0.2)),
        )
    ]

    apply_outline(pages, [Bookmark("Of the raising and lowering of boats", 0, 0, 0.1)])

    assert pages[0].blocks[0].text == "Of the raising and lowering of boats"
    assert len(pages[0].blocks) == 2


def test_an_outline_that_does_not_match_is_ignored() -> None:
    pages = [page(PageBlock("heading", "Locks", at(0.1), level=1), PageBlock("paragraph", "Text.", at(0.2)))]

    assert not apply_outline(pages, [Bookmark(f"scan_{number}.tif", 0, 0, None) for number in range(5)])

    assert pages[0].blocks[0].kind == "heading"
    assert len(pages[0].blocks) == 2


def test_detected_headings_are_kept_below_a_sparse_outline() -> None:
    pages = [
        page(PageBlock("heading", f"Section {number}", at(0.1), level=1), number=number)
        for number in range(1, 41)
    ]
    pages[0].blocks.insert(0, PageBlock("paragraph", "Part one", at(0.05)))

    apply_outline(pages, [Bookmark("Part one", 0, 0, 0.05)])

    assert [(block.text, block.level) for block in pages[0].blocks] == [("Part one", 1), ("Section 1", 2)]
    assert pages[39].blocks[0].level == 2


def test_tagged_headings_are_used_without_an_outline(tmp_path: Path) -> None:
    text = "A lock lifts a boat from one reach of a canal to the next, and lowers it again on its way back."
    passages = [("H1", "Locks"), ("P", text), ("H2", "Staircases"), ("P", text), ("P", text)]

    markdown = markdown_of(pdfs.tagged(tmp_path / "tagged.pdf", passages))

    assert headings(markdown) == ["# Locks", "## Staircases"]


def test_running_headers_and_page_numbers_are_removed(tmp_path: Path) -> None:
    path = pdfs.book(tmp_path / "book.pdf", NO_MARKS * 6, header="Canal Company Ltd", footer="Page {page}")

    extraction = read_pdf(path, ocr=OcrSettings("off"))

    # The company name is kept once; page numbers are removed.
    assert extraction.markdown.count("Canal Company Ltd") == 1
    assert page_text(extraction, 1).startswith("Canal Company Ltd")
    assert "Page" not in extraction.markdown


def test_changing_headers_are_removed_by_their_page_number() -> None:
    chapters = ["Locks", "Boats", "Horses", "Bridges"]
    pages = [
        page(
            PageBlock("paragraph", f"Body text of page {number}, never the same. " * 5, at(0.2, 0.6)),
            PageBlock(
                "heading", f"{number} Chapter {number // 5 + 1}. {chapters[number // 5]}", at(0.94), level=2
            ),
            number=number,
        )
        for number in range(1, 20)
    ]

    remove_running_headers(pages)

    assert {len(page.blocks) for page in pages} == {1}


@pytest.mark.parametrize("pages", [1, 2])
def test_page_x_of_y_is_removed_from_short_documents(tmp_path: Path, pages: int) -> None:
    path = pdfs.book(tmp_path / "letter.pdf", NO_MARKS * pages, footer="Page {page} of 2")

    assert "of 2" not in markdown_of(path)


def test_similar_slides_keep_their_text() -> None:
    pages = [
        page(PageBlock("paragraph", "Annual meeting", at(0.05)), number=number) for number in range(1, 9)
    ]

    remove_running_headers(pages)

    assert all(page.blocks for page in pages)
