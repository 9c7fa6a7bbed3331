"""Blocks that the engine gets wrong: labels as headings, torn paragraphs, list items with the next paragraph."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.support import pdfs
from tests.support.readers import quiet
from towpath.model.content import Box
from towpath.readers.ocr.settings import OcrSettings
from towpath.readers.pdf.mend_blocks import mend_blocks
from towpath.readers.pdf.page_model import Bookmark, PageBlock
from towpath.readers.pdf.reader import read_pdf
from towpath.readers.pdf.tagged_headings import _without_labels  # pyright: ignore[reportPrivateUsage] no file has such tags

FULL = "The boat was drawn along the towpath from lock to lock and rested"
REST = "safely at each of them for the night before it went on."


def line(
    text: str, top: float, *, left: float = 0.1, right: float = 0.9, kind: Any = "paragraph"
) -> PageBlock:
    level = 1 if kind == "heading" else 0
    return PageBlock(kind, text, Box(left, top, right, top + 0.012), level=level)


def shapes(*blocks: PageBlock) -> list[tuple[str, str]]:
    return [(block.kind, block.text) for block in mend_blocks(blocks)]


def test_headings_beside_each_other_are_labels():
    labels = [
        line("Check In", 0.2, left=0.1, right=0.2, kind="heading"),
        line("Check Out", 0.2, left=0.4, right=0.5, kind="heading"),
    ]

    assert shapes(line("Hotel", 0.1, kind="heading"), *labels) == [
        ("heading", "Hotel"),
        ("paragraph", "Check In"),
        ("paragraph", "Check Out"),
    ]


def test_headings_below_each_other_stay():
    assert shapes(line("Part", 0.1, kind="heading"), line("Chapter", 0.13, kind="heading")) == [
        ("heading", "Part"),
        ("heading", "Chapter"),
    ]


def test_a_heading_that_the_next_block_continues_is_the_first_line_of_a_paragraph():
    heading = line(
        "We investigate the generalized shallow water-wave model which describes physically-",
        0.1,
        kind="heading",
    )

    assert shapes(heading, line("interesting waves, but it is not integrable.", 0.12)) == [
        (
            "paragraph",
            "We investigate the generalized shallow water-wave model which describes physically"
            "interesting waves, but it is not integrable.",
        )
    ]


def test_a_short_heading_before_a_small_letter_stays():
    assert (
        shapes(line("NAME", 0.1, kind="heading"), line("towpath - processes documents", 0.12))[0][0]
        == "heading"
    )


def test_lines_of_one_paragraph_are_joined():
    assert shapes(line(FULL, 0.1), line(REST, 0.12)) == [("paragraph", f"{FULL} {REST}")]


@pytest.mark.parametrize(
    "second",
    [
        line("Another paragraph begins here and says something else about it.", 0.18),
        line(REST, 0.12, left=0.3),
        line("1995 12.5 30.1 44.0 18.2 11.0 7.5 3.2 total", 0.12),
    ],
    ids=["far below", "another margin", "numbers"],
)
def test_other_blocks_are_not_joined(second: PageBlock):
    assert len(shapes(line(FULL, 0.1), second)) == 2


def test_lines_that_end_a_sentence_are_not_joined_with_the_next_sentence():
    first = line(f"{FULL} there.", 0.1)

    assert (
        len(shapes(first, line("In the morning the horse was harnessed again before the mist.", 0.12))) == 2
    )


def test_a_list_item_ends_where_the_text_returns_to_the_margin(tmp_path: Path):
    def draw(canvas: Any) -> None:
        top = pdfs.lines(canvas, pdfs.LOREM)
        for text in ("• first item", "• second item", "• third item"):
            top = pdfs.lines(canvas, [text], x=108, top=top)
        pdfs.lines(canvas, ["After the list the text goes on at the margin.", *pdfs.LOREM], top=top)

    markdown = read_pdf(pdfs.drawing(tmp_path / "a.pdf", draw), quiet, ocr=OcrSettings("off")).markdown

    assert "- third item\n\nAfter the list" in markdown


def test_tagged_headings_at_one_height_are_labels():
    titles = [
        Bookmark(text, 0, 0, top) for text, top in (("Stay", 0.1), ("In", 0.2), ("Out", 0.2), ("Rooms", 0.2))
    ]

    assert [title.title for title in _without_labels(titles)] == ["Stay"]
