"""Tests of table classification and rendering in PDF files."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support import pdfs
from towpath.model.content import Box
from towpath.readers.ocr.settings import OcrSettings
from towpath.readers.pdf.classify_tables import classify_rows, fenced_code, list_items, render_rows
from towpath.readers.pdf.false_code_blocks import merge_false_code
from towpath.readers.pdf.page_model import PageBlock
from towpath.readers.pdf.reader import read_pdf

LOCKS = [
    ["Lock", "Rise", "Built"],
    ["Foxton", "23 m", "1814"],
    ["Caen Hill", "72 m", "1810"],
    ["Bingley", "18 m", "1774"],
]


@pytest.mark.parametrize("ruled", [True, False])
def test_a_table_becomes_a_pipe_table_between_its_paragraphs(tmp_path: Path, ruled: bool) -> None:
    extraction = read_pdf(pdfs.table(tmp_path / "table.pdf", LOCKS, ruled=ruled), ocr=OcrSettings("off"))

    paragraph = " ".join(pdfs.LOREM)
    table = """
| Lock | Rise | Built |
|---|---|---|
| Foxton | 23 m | 1814 |
| Caen Hill | 72 m | 1810 |
| Bingley | 18 m | 1774 |
""".strip()
    assert extraction.markdown == f"{paragraph}\n\n{table}\n\n{paragraph}"
    block = extraction.blocks[1]
    assert extraction.markdown[block.start : block.end] == table
    assert block.box is not None
    assert block.box.y0 == pytest.approx((792 - 660) / 792, abs=0.02)


CONTENTS = [
    ["1.1", "Scope", "3"],
    ["1.2", "New versions", "4"],
    ["1.3", "Authors", "4"],
    ["2", "Archive", "7"],
]
#: The last column has larger numbers than the document has pages.
DATA_WITH_SECTIONS = [
    ["1.1", "Narrow lock", "310"],
    ["1.2", "Wide lock", "420"],
    ["1.3", "Double lock", "650"],
    ["2.1", "Ship lift", "980"],
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
DATA_WITH_LEADERS = [["Spent on …", "1,200", "1,400"], ["Locks …", "310", "90"], ["Boats …", "55", "61"]]
BULLETS = [["•", "Open the gate"], ["•", "Let the boat in"], ["", "and close it"]]
NUMBERED_PROSE = [
    ["1.1", "The keeper opens the gate for boats."],
    ["1.2", "A boat waits until the gate is open."],
]
SECTION = [
    ["5.10", "Waiting boats"],
    ["If your", "boat waits, tie it to the bollard and"],
    ["keep", "clear."],
]
DEFINITIONS = [
    ["gate", "Closes the chamber of a lock."],
    ["sluice", "Lets the water in and out."],
    ["sill", "The gate rests on it."],
]
TREE = [["├── src", "code"], ["└── tests", "tests"]]


@pytest.mark.parametrize(
    ("rows", "page", "shape"),
    [
        (LOCKS, 90, "table"),
        (CONTENTS, 3, "lines"),
        (CONTENTS, 90, "lines"),
        (DATA_WITH_SECTIONS, 90, "table"),
        (LEADERS, 90, "lines"),
        (SENTENCES, 90, "prose"),
        (SCARCE, 90, "lines"),
        (TREE, 90, "code"),
        (DATA_WITH_LEADERS, 2, "table"),
        (BULLETS, 90, "list"),
        (NUMBERED_PROSE, 90, "list"),
        (SECTION, 90, "section"),
        (DEFINITIONS, 90, "list"),
        ([["One cell"], ["below another"]], 90, "cells"),
        ([["A row", "alone"]], 90, "prose"),
    ],
)
def test_rows_are_classified(rows: list[list[str]], page: int, shape: str) -> None:
    assert classify_rows(rows, page, page_count=100) == shape


def test_a_table_cut_from_text_runs_is_prose() -> None:
    rows = [
        ["The --package", "option ensures that the copy can bypass the"],
        ["diversion and get", "installed as such"],
        ["below it", "with any name"],
    ]

    assert classify_rows(rows, 90, page_count=100) == "table"
    assert classify_rows(rows, 90, page_count=100, torn_rows=2) == "prose"


def test_a_ruled_table_may_have_long_cells_and_two_rows() -> None:
    rows = [["Rule", "Reason"], ["No mooring", "x" * 600]]

    assert classify_rows(rows, 90, page_count=100, is_ruled=True) == "table"


def test_the_rows_of_a_list_become_its_items() -> None:
    assert list_items(BULLETS) == [("•", "Open the gate"), ("•", "Let the boat in and close it")]
    assert list_items(DEFINITIONS)[0] == ("-", "**gate** Closes the chamber of a lock.")


def test_rendered_rows_are_valid_markdown() -> None:
    assert render_rows([["a|b", "c"], ["d"]], "table") == "| a\\|b | c |\n|---|---|\n| d |  |"
    assert (
        render_rows([["1", "Locks", "Locks", "3"], ["", "Boats", "", "4"]], "lines") == "1 Locks 3\nBoats 4"
    )
    assert fenced_code(["```", "x"]) == "````\n```\nx\n````"


def test_a_false_code_line_is_merged_into_its_paragraph() -> None:
    def line(y: float) -> Box:
        return Box(0.1, y, 0.9, y + 0.012)

    blocks = [
        PageBlock("paragraph", "The usual way to build is", line(0.100)),
        PageBlock("code", fenced_code(["make install, which is invoked"]), line(0.115)),
        PageBlock("paragraph", "by the tool itself.", line(0.130)),
        PageBlock("paragraph", "For example:", line(0.160)),
        PageBlock("code", fenced_code(["make clean"]), line(0.175)),
    ]

    assert [(block.kind, block.text) for block in merge_false_code(blocks)] == [
        ("paragraph", "The usual way to build is make install, which is invoked by the tool itself."),
        ("paragraph", "For example:"),
        ("code", "```\nmake clean\n```"),
    ]
