"""Tests of the reader of rich text files: headings, lists, tables, links, notes, encodings, damaged files."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest

from tests.support.readers import assert_sound, quiet, rejection
from towpath.errors import Rejected
from towpath.model.content import Extraction
from towpath.readers.rtf.reader import read_rtf

HEAD = (
    r"{\rtf1\ansi\ansicpg1252\deff0{\fonttbl{\f0 Times;}{\f1\fcharset204 Times Cyr;}}"
    r"{\stylesheet{\s0 Normal;}{\s1\outlinelevel0 heading 1;}{\s2\outlinelevel1 \'dcberschrift 2;}}"
    r"{\info{\title The canal}{\author Ada Reed}}{\header Page \chpgn}{\*\generator Program 1;}"
)


def read(tmp_path: Path, body: str) -> Extraction:
    path = tmp_path / "a.rtf"
    path.write_bytes((HEAD + body + "}").encode("latin-1"))
    extraction = read_rtf(path, quiet)
    assert_sound(extraction)
    return extraction


def test_headings_emphasis_and_properties(tmp_path: Path) -> None:
    extraction = read(
        tmp_path,
        r"\pard\s1 Locks\par\pard\s2 Upper\par\pard {\b Wood} and {\i iron}.{\v hidden}\par",
    )

    assert extraction.markdown == "# Locks\n\n## Upper\n\n**Wood** and *iron*."
    assert extraction.metadata == {"title": "The canal", "authors": "Ada Reed"}


def test_lists_are_nested_by_their_margins(tmp_path: Path) -> None:
    text = read(
        tmp_path,
        r"{\listtext 1.\tab}\pard\li720\ls1\ilvl1 one\par{\listtext \'b7\tab}\pard\li1440\ls2\ilvl0 deep\par"
        r"{\listtext 2.\tab}\pard\li720\ls1\ilvl1 two\par\pard Text.\par",
    ).markdown

    assert text == "1. one\n   - deep\n2. two\n\nText."


def test_tables_place_cells_by_their_borders(tmp_path: Path) -> None:
    text = read(
        tmp_path,
        r"\trowd\cellx1000\cellx2000\cellx3000\pard\intbl a\cell b\cell c\cell\row"
        r"\trowd\cellx2000\cellx3000\pard\intbl wide\cell d\cell\row\pard End.\par",
    ).markdown

    assert text == "| a | b | c |\n| --- | --- | --- |\n| wide |  | d |\n\nEnd."


def test_links_notes_and_page_breaks(tmp_path: Path) -> None:
    extraction = read(
        tmp_path,
        r'\pard See {\field{\*\fldinst HYPERLINK "https://example.com/a"}{\fldrslt this page}}.'
        r"{\footnote\pard {\super\chftn} A note.}\par\page Two.\par",
    )

    assert extraction.markdown == "See [this page](https://example.com/a).[^1]\n\n[^1]: A note.\n\nTwo."
    assert len(extraction.pages) == 2


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (r"\pard \'e4\u8364?\uc0\u8211 x\par", "ä€–x"),
        (r"\pard\f1 \'ef\'f0\'e8\'e2\'e5\'f2\par", "привет"),
        (r"\pard \u-10187?\u-8398?\par", "𝜲"),
        (r"\pard a{\*\unknown gone}b{\*\bkmkstart x}c{\pict 00ff}d\par", "abcd"),
        (r"\pard {\i0\*\cs7 kept}\par", "kept"),
    ],
)
def test_characters_of_all_kinds(tmp_path: Path, body: str, text: str) -> None:
    assert read(tmp_path, body).markdown == text


def test_files_without_text_are_rejected(tmp_path: Path) -> None:
    path = tmp_path / "a.rtf"
    path.write_text(HEAD + "}")

    assert rejection(read_rtf, path).code == "empty"


def test_damaged_files_are_read_or_rejected(tmp_path: Path) -> None:
    content = (HEAD + r"\pard\intbl a\cell\row{\footnote x}{\listtext 1.}\pard y\par}").encode("latin-1")
    path = tmp_path / "a.rtf"
    for place in range(0, len(content), 3):
        for part in (b"{", b"}", b"\\", b"\\bin9999 "):
            path.write_bytes(content[:place] + part + content[place + 1 :])
            with suppress(Rejected):
                read_rtf(path, quiet)
