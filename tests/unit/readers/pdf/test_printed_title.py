"""Tests of the title printed on the first page of a PDF."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.support import pdfs
from towpath.readers.ocr.settings import OcrSettings
from towpath.readers.pdf.reader import read_pdf

Lines = Sequence[tuple[str, str, float, float]]


def printed_title(tmp_path: Path, head: Lines) -> str | None:
    """The title found above a paragraph; ``head`` has font, text, size and height of each line."""

    def draw(canvas: Any) -> None:
        for font, text, size, y in head:
            canvas.setFont(font, size)
            canvas.drawString(72, y, text)
        for part in range(4):
            pdfs.lines(canvas, pdfs.LOREM, top=560 - part * 80)

    path = pdfs.drawing(tmp_path / "paper.pdf", draw)
    return read_pdf(path, ocr=OcrSettings("off")).metadata.get("printed_title")


def test_the_largest_text_of_two_lines_is_the_title(tmp_path: Path) -> None:
    head = [
        ("Helvetica", "Proceedings of 2019", 9.0, 760.0),
        ("Times-Bold", "A Survey of the Locks", 18.0, 730.0),
        ("Times-Bold", "of Northern Canals", 18.0, 708.0),
        ("Times-Roman", "Ada Reed and Bo Lind", 12.0, 680.0),
    ]

    assert printed_title(tmp_path, head) == "A Survey of the Locks of Northern Canals"


def test_the_name_of_the_journal_and_the_version_are_not_the_title(tmp_path: Path) -> None:
    head = [
        ("Helvetica", "Journal of Canal Studies", 26.0, 750.0),
        ("Times-Bold", "Water Levels Explained", 18.0, 700.0),
        ("Times-Bold", "Version 2.1", 18.0, 678.0),
    ]

    assert printed_title(tmp_path, head) == "Water Levels Explained"


def test_a_page_of_plain_text_has_no_printed_title(tmp_path: Path) -> None:
    assert printed_title(tmp_path, []) is None
