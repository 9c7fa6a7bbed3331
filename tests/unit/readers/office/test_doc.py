"""Tests of the reader of Word files from before 2007: headings, lists, tables, notes, links, damaged files."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest

from tests.support.old_office import (
    BOLD,
    BULLET,
    HIDDEN,
    IN_TABLE,
    NUMBER,
    ROW_END,
    Paragraph,
    list_item,
    word_document,
)
from tests.support.readers import assert_sound, page_text, quiet, rejection
from towpath.errors import Rejected
from towpath.model.content import Extraction
from towpath.readers.office.doc.reader import read_doc

SAMPLE = Path(__file__).parents[3] / "data" / "formats" / "boats.doc"


def read(tmp_path: Path, content: bytes) -> Extraction:
    path = tmp_path / "a.doc"
    path.write_bytes(content)
    extraction = read_doc(path, quiet)
    assert_sound(extraction)
    return extraction


def test_headings_of_a_file_written_by_a_word_processor() -> None:
    extraction = read_doc(SAMPLE, quiet)

    assert extraction.markdown == (
        "# Boats of the canal\n\nMarie carries grain to the windmill.\n\n## Locks\n\nThe upper lock has wooden paddles."
    )


def test_headings_lists_and_emphasis(tmp_path: Path) -> None:
    content = word_document(
        [
            Paragraph("Canals\r", style=1),
            Paragraph("A gate of wood.\r", characters=BOLD),
            Paragraph("one\r", list_item(1)),
            Paragraph("two\r", list_item(1)),
            Paragraph("first\r", list_item(2)),
            Paragraph("second\r", list_item(2)),
            Paragraph("not shown\r", characters=HIDDEN),
        ],
        lists=(BULLET, NUMBER),
    )

    assert read(tmp_path, content).markdown == (
        "# Canals\n\n**A gate of wood.**\n\n- one\n- two\n1. first\n2. second"
    )


def test_tables_links_and_notes(tmp_path: Path) -> None:
    row = [Paragraph(f"{word}\x07", IN_TABLE) for word in ("Lock", "Depth")]
    other = [Paragraph(f"{word}\x07", IN_TABLE) for word in ("upper", "2 m")]
    content = word_document(
        [
            *row,
            Paragraph("\x07", ROW_END),
            *other,
            Paragraph("\x07", ROW_END),
            Paragraph(
                'See \x13 HYPERLINK "https://example.com/a" \x14this page\x15 and \x13 PAGE \x147\x15.\r'
            ),
            Paragraph("Water\x02 flows.\r"),
        ],
        notes="Downhill.\r",
    )

    assert read(tmp_path, content).markdown == (
        "| Lock | Depth |\n| --- | --- |\n| upper | 2 m |\n\nSee [this page](https://example.com/a) and 7.\n\n"
        "Water[^1] flows.\n\n[^1]: Downhill."
    )


def test_page_breaks_are_pages(tmp_path: Path) -> None:
    pair = "\ud800\udf32"
    extraction = read(tmp_path, word_document([Paragraph("one\x0c"), Paragraph(f"two {pair}\r")]))

    assert [page_text(extraction, number).strip() for number in (1, 2)] == ["one", "two 𐌲"]


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), "corrupt"),
        (word_document([Paragraph("\r")]), "empty"),
    ],
)
def test_unreadable_files_are_rejected(tmp_path: Path, content: bytes, code: str) -> None:
    path = tmp_path / "a.doc"
    path.write_bytes(content)

    assert rejection(read_doc, path).code == code


def test_damaged_files_are_read_or_rejected(tmp_path: Path) -> None:
    content = SAMPLE.read_bytes()
    path = tmp_path / "a.doc"
    for place in range(512, len(content), 97):
        path.write_bytes(content[:place] + b"\xff\xff" + content[place + 2 :])
        with suppress(Rejected):
            read_doc(path, quiet)
