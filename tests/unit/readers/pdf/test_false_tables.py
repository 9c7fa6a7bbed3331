"""Tests of prose and code that look like a table because of a gap or a shaded background."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.support import pdfs
from towpath.readers.ocr.settings import OcrSettings
from towpath.readers.pdf.classify_tables import classify_rows, render_rows
from towpath.readers.pdf.reader import read_pdf

PROSE = (
    "The water protocol of the canal is a loop avoiding distance rule that is robust and",
    "efficient both in ordinary wide locks and in narrow ones. It works in its default setting",
    "and needs no keeper in most cases, though some tuning is desirable where canals meet.",
)


def _section(canvas: Any) -> None:
    """Numbered headings with a gap behind the number, and the lines of a paragraph."""
    for y, size, number, title in ((760, 14, "6.1", "Water"), (732, 12, "6.1.1", "Introduction")):
        canvas.setFont("Times-Bold", size)
        canvas.drawString(83, y, number)
        canvas.drawString(124, y, title)
    canvas.setFont("Times-Roman", 10)
    for index, line in enumerate(PROSE):
        canvas.drawString(83, 710 - 12 * index, line)


def test_numbered_headings_with_their_paragraph_are_no_table(tmp_path: Path) -> None:
    extraction = read_pdf(pdfs.drawing(tmp_path / "section.pdf", _section), ocr=OcrSettings("off"))

    assert extraction.markdown == f"## 6.1 Water\n\n### 6.1.1 Introduction\n\n{' '.join(PROSE)}"


def _shaded_code(canvas: Any) -> None:
    """Two code blocks on a shaded background with a border, and a paragraph between them."""
    canvas.setFont("Times-Roman", 10)
    canvas.drawString(
        72, 720, "A keeper opens the gate with these commands, one after the other, in this order:"
    )
    for top, lines in ((705, ("lock --open upper", "lock --fill chamber")), (610, ("lock --close upper",))):
        height = 14 * len(lines) + 4
        for x, width in ((70, 24), (94, 440)):
            canvas.setFillGray(0.9)
            canvas.rect(x, top - height, width, height, stroke=1, fill=1)
        canvas.setFillGray(0)
        canvas.setFont("Courier", 10)
        for index, line in enumerate(lines):
            canvas.drawString(74, top - 12 - 14 * index, line)
    canvas.setFont("Times-Roman", 10)
    for index, line in enumerate(PROSE):
        canvas.drawString(72, 650 - 12 * index, line)


def test_code_on_a_divided_background_is_no_table(tmp_path: Path) -> None:
    extraction = read_pdf(pdfs.drawing(tmp_path / "code.pdf", _shaded_code), ocr=OcrSettings("off"))

    assert "|" not in extraction.markdown
    assert "lock --open upper\nlock --fill chamber" in extraction.markdown
    assert " ".join(PROSE) in extraction.markdown


def test_boxes_with_notes_become_paragraphs() -> None:
    rows = [
        ["Tip", "Open the upper gate first and wait."],
        ["Warning", "Never open both gates at once."],
    ]

    shape = classify_rows(rows, 5, 90, is_ruled=True)

    assert shape == "notes"
    assert render_rows(rows, shape) == (
        "**Tip** Open the upper gate first and wait.\n\n**Warning** Never open both gates at once."
    )


def test_an_index_in_two_columns_is_read_column_by_column() -> None:
    rows = [["barge, 3", "gate, 4, 17"], ["boat, 12, 15", "horse, 2"], ["bridge, 9", "lock, 1, 3–5"]]

    shape = classify_rows(rows, 88, 90)

    assert shape == "index"
    assert render_rows(rows, shape).splitlines() == [
        "barge, 3",
        "boat, 12, 15",
        "bridge, 9",
        "gate, 4, 17",
        "horse, 2",
        "lock, 1, 3–5",
    ]


def test_a_table_of_names_and_numbers_is_no_index() -> None:
    rows = [["Lock", "Rise"], ["Foxton, upper", "23"], ["Caen Hill", "72"], ["Bingley", "18"]]

    assert classify_rows(rows, 88, 90) == "table"
