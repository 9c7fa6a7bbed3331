"""Tables are kept as tables, and what merely looks like one is given back as text."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support import pdfs
from towpath.model.content import Box
from towpath.providers.local.ocr import OcrSettings
from towpath.providers.local.pdf import read_pdf
from towpath.providers.local.pdf.flow import without_false_code
from towpath.providers.local.pdf.pages import Piece
from towpath.providers.local.pdf.tables import fenced, render, shape_of

LOCKS = [
    ["Lock", "Rise", "Built"],
    ["Foxton", "23 m", "1814"],
    ["Caen Hill", "72 m", "1810"],
    ["Bingley", "18 m", "1774"],
]


@pytest.mark.parametrize("ruled", [True, False])
def test_a_table_becomes_a_pipe_table_between_its_paragraphs(tmp_path: Path, ruled: bool) -> None:
    got = read_pdf(pdfs.table(tmp_path / "table.pdf", LOCKS, ruled=ruled), ocr=OcrSettings(enabled=False))

    paragraph = " ".join(pdfs.LOREM)
    table = """
| Lock | Rise | Built |
|---|---|---|
| Foxton | 23 m | 1814 |
| Caen Hill | 72 m | 1810 |
| Bingley | 18 m | 1774 |
""".strip()
    assert got.markdown == f"{paragraph}\n\n{table}\n\n{paragraph}"
    block = got.blocks[1]
    assert got.markdown[block.start : block.end] == table
    assert block.box is not None
    assert block.box.y0 == pytest.approx((792 - 660) / 792, abs=0.02)


CONTENTS = [
    ["1.1", "Scope", "3"],
    ["1.2", "New versions", "4"],
    ["1.3", "Authors", "4"],
    ["2", "Archive", "7"],
]
SENTENCES = [
    ["Relationships may also be restricted to certain kinds of boats in", "the format described"],
    ["above. The syntax for such restrictions is the same as for restrictions", "using a certain"],
]
SCARCE = [
    ["Total", "", "", "", ""],
    ["", "", "", "", "12"],
    ["", "", "", "Sum", ""],
    ["", "Note", "", "", ""],
]
LEADERS = [["Locks … ", "12"], ["Boats … ", "19"]]
TREE = [["├── src", "code"], ["└── tests", "tests"]]


@pytest.mark.parametrize(
    ("rows", "page", "shape"),
    [
        (LOCKS, 90, "table"),
        (CONTENTS, 3, "lines"),
        (CONTENTS, 90, "table"),
        (LEADERS, 90, "lines"),
        (SENTENCES, 90, "prose"),
        (SCARCE, 90, "lines"),
        (TREE, 90, "code"),
        ([["One cell"], ["below another"]], 90, "cells"),
        ([["A row", "alone"]], 90, "prose"),
    ],
)
def test_false_tables_are_told_from_real_ones(rows: list[list[str]], page: int, shape: str) -> None:
    assert shape_of(rows, page, pages=100) == shape


def test_a_table_cut_at_guessed_places_is_prose() -> None:
    rows = [
        ["The --package", "option ensures that the copy can bypass the"],
        ["diversion and get", "installed as such"],
    ]

    assert shape_of(rows, 90, pages=100) == "table"
    assert shape_of(rows, 90, pages=100, torn=1) == "prose"


def test_rows_are_written_so_that_markdown_stays_whole() -> None:
    assert render([["a|b", "c"], ["d"]], "table") == "| a\\|b | c |\n|---|---|\n| d |  |"
    assert render([["1", "Locks", "Locks", "3"], ["", "Boats", "", "4"]], "lines") == "1 Locks 3\nBoats 4"
    assert fenced(["```", "x"]) == "````\n```\nx\n````"


def test_a_line_with_typewriter_words_returns_to_its_paragraph() -> None:
    def line(y: float) -> Box:
        return Box(0.1, y, 0.9, y + 0.012)

    pieces = [
        Piece("paragraph", "The usual way to build is", line(0.100)),
        Piece("code", fenced(["make install, which is invoked"]), line(0.115)),
        Piece("paragraph", "by the tool itself.", line(0.130)),
        Piece("paragraph", "For example:", line(0.160)),
        Piece("code", fenced(["make clean"]), line(0.175)),
    ]

    assert [(piece.kind, piece.text) for piece in without_false_code(pieces)] == [
        ("paragraph", "The usual way to build is make install, which is invoked by the tool itself."),
        ("paragraph", "For example:"),
        ("code", "```\nmake clean\n```"),
    ]
