"""Tests of the decisions about the text of PDF pages: code, hyphens, running titles."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.support import pdfs
from towpath.model.content import Box
from towpath.readers.ocr.settings import OcrSettings
from towpath.readers.pdf.join_lines import join_lines
from towpath.readers.pdf.line_end_hyphens import line_end_hyphens, restore_hyphens
from towpath.readers.pdf.outline import apply_outline
from towpath.readers.pdf.page_layout import is_monospace
from towpath.readers.pdf.page_model import Bookmark, PageBlock, PdfPage
from towpath.readers.pdf.reader import read_pdf
from towpath.readers.pdf.running_headers import remove_running_headers


def page(number: int, *blocks: PageBlock) -> PdfPage:
    return PdfPage(number, 612, 792, blocks=list(blocks))


def paragraph(text: str, y: float = 0.5) -> PageBlock:
    return PageBlock("paragraph", text, Box(0.1, y, 0.9, y + 0.02))


def test_fonts_for_code_are_known_by_name() -> None:
    assert all(
        map(is_monospace, ["ABCDEF+CMTT10", "t1xtt", "Courier-Bold", "DejaVuSansMono", "NimbusMonL-Regu"])
    )
    assert not any(map(is_monospace, ["CMR10", "Times-Roman", "MonotypeCorsiva", "Helvetica", "Battery"]))


def test_indented_lines_in_a_code_font_become_a_code_block(tmp_path: Path) -> None:
    def draw(canvas: Any) -> None:
        canvas.setFont("Times-Roman", 11)
        canvas.drawString(72, 700, "To see what the library knows about locks, a reader types the command")
        canvas.setFont("Courier", 10)
        canvas.drawString(100, 686, "list(locks)")
        canvas.setFont("Times-Roman", 11)
        canvas.drawString(
            72, 672, "which prints the names of all locks, one below the other, in the order of"
        )
        canvas.drawString(72, 658, "the canal. The names can be sorted.")

    path = pdfs.drawing(tmp_path / "manual.pdf", draw)

    markdown = read_pdf(path, ocr=OcrSettings("off")).markdown

    assert "the command\n\n```\nlist(locks)\n```\n\nwhich prints the names" in markdown


def test_lines_are_joined_without_the_hyphen_of_a_divided_word() -> None:
    assert join_lines(["the docu-", "ment of", "US-", "ASCII"]) == "the document of US-ASCII"


def test_hyphens_that_belong_to_a_word_survive() -> None:
    text = "The dualencoder is new. An encoder may be dual. Every distribution has a distri- bution list of US- ASCII."
    pages = [page(1, paragraph(text))]
    pages[0].line_end_hyphens = [("dual", "encoder"), ("US", "ASCII")]

    restore_hyphens(pages)

    assert "The dual-encoder is new." in pages[0].blocks[0].text
    assert "US-ASCII" in pages[0].blocks[0].text


def test_a_word_that_the_document_has_without_hyphen_stays_joined() -> None:
    pages = [page(1, paragraph("A package. The package is a pack of age."))]
    pages[0].line_end_hyphens = [("pack", "age")]

    restore_hyphens(pages)

    assert pages[0].blocks[0].text == "A package. The package is a pack of age."


def test_words_divided_at_line_ends_are_found_in_text_items() -> None:
    assert line_end_hyphens(["mail to debian-", "policy@lists", "a well", "known -", "dash"]) == [
        ("debian", "policy@lists")
    ]


def test_running_headers_that_repeat_the_title_of_the_section_are_removed() -> None:
    titles = ["Locks", "Boats", "Bridges", "Tunnels", "Tolls", "Horses"]
    outline = [Bookmark(title, 0, 2 * index, 0.3) for index, title in enumerate(titles)]
    pages = [
        page(
            number + 1,
            *([paragraph(f"Chapter {number // 2 + 1}. {titles[number // 2]}", 0.05)] if number % 2 else []),
            paragraph(f"Text of page {number + 1} about canals and their history."),
        )
        for number in range(12)
    ]

    remove_running_headers(pages, outline)

    assert not any("Chapter" in block.text for item in pages for block in item.blocks)


def test_a_numbered_title_on_two_lines_becomes_one_heading() -> None:
    pages = [
        page(
            1, paragraph("2.1 The locks of the", 0.2), paragraph("northern canals", 0.23), paragraph("Text.")
        )
    ]

    assert apply_outline(pages, [Bookmark("The locks of the northern canals", 1, 0, 0.2)])

    assert [(block.kind, block.text) for block in pages[0].blocks] == [
        ("heading", "2.1 The locks of the northern canals"),
        ("paragraph", "Text."),
    ]


def test_a_numbered_title_at_the_start_of_its_paragraph_is_cut_off() -> None:
    pages = [page(1, paragraph("2.1 Wide locks These are wider than others.", 0.2))]

    assert apply_outline(pages, [Bookmark("Wide locks", 1, 0, 0.2)])

    assert [block.text for block in pages[0].blocks] == ["2.1 Wide locks", "These are wider than others."]


def test_the_title_of_the_book_stays_a_heading() -> None:
    pages = [
        page(
            1,
            PageBlock("heading", "Canals of Europe", Box(0.1, 0.2, 0.9, 0.25), level=2),
            paragraph("By Ada Reed"),
        ),
        page(2, paragraph("Locks", 0.1)),
    ]

    assert apply_outline(pages, [Bookmark("Locks", 0, 1, 0.1)], "Canals of Europe")

    assert (pages[0].blocks[0].kind, pages[0].blocks[0].level) == ("heading", 1)
