"""Tests of tables found by their ruled lines."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.support import pdfs
from towpath.readers.ocr.settings import OcrSettings
from towpath.readers.pdf.reader import read_pdf


def read(tmp_path: Path, draw: Callable[[Any], None]) -> str:
    return read_pdf(pdfs.drawing(tmp_path / "table.pdf", draw), ocr=OcrSettings("off")).markdown


def test_a_cell_with_several_lines_stays_one_cell(tmp_path: Path) -> None:
    def draw(canvas: Any) -> None:
        canvas.setFont("Helvetica", 10)
        canvas.grid([72, 222, 372, 522], [700, 670, 630, 590])
        for x, y, text in (
            (76, 682, "Lock"),
            (226, 682, "Length of the"),
            (226, 672, "chamber"),
            (376, 682, "Opened"),
            (76, 655, "Foxton and the"),
            (76, 643, "locks below it"),
            (226, 655, "21 m"),
            (376, 655, "1814"),
            (76, 615, "Bingley"),
            (226, 615, "19 m"),
            (376, 615, "1774"),
        ):
            canvas.drawString(x, y, text)

    assert read(tmp_path, draw) == (
        "| Lock | Length of the chamber | Opened |\n|---|---|---|\n"
        "| Foxton and the locks below it | 21 m | 1814 |\n| Bingley | 19 m | 1774 |"
    )


def test_stripes_behind_every_second_row_do_not_merge_its_cells(tmp_path: Path) -> None:
    def draw(canvas: Any) -> None:
        canvas.setFont("Helvetica", 10)
        canvas.grid([72, 222, 372], [700, 680])
        for row, (name, rise) in enumerate(
            (("Foxton", "23"), ("Caen Hill", "72"), ("Bingley", "18"), ("Neptune", "20"))
        ):
            bottom = 660 - row * 20
            if row % 2:
                canvas.grid([72, 222, 372], [bottom + 20, bottom])
            else:
                canvas.rect(72, bottom, 300, 20)
            canvas.drawString(76, bottom + 6, name)
            canvas.drawString(226, bottom + 6, rise)
        canvas.drawString(76, 686, "Lock")
        canvas.drawString(226, 686, "Rise")

    assert "| Foxton | 23 |\n| Caen Hill | 72 |\n| Bingley | 18 |\n| Neptune | 20 |" in read(tmp_path, draw)


def test_numbers_at_equal_heights_in_one_ruled_row_are_rows(tmp_path: Path) -> None:
    def draw(canvas: Any) -> None:
        canvas.setFont("Helvetica", 10)
        canvas.grid([72, 222, 372, 522], [700, 680, 620])
        for x, texts in (
            (76, ("Foxton", "Bingley", "Total")),
            (226, ("23", "18", "41")),
            (376, ("10", "5", "15")),
        ):
            for line, text in enumerate(texts):
                canvas.drawString(x, 665 - line * 16, text)
        for x, text in ((76, "Lock"), (226, "Rise"), (376, "Chambers")):
            canvas.drawString(x, 686, text)

    assert "| Foxton | 23 | 10 |\n| Bingley | 18 | 5 |\n| Total | 41 | 15 |" in read(tmp_path, draw)


def test_a_frame_around_text_is_no_table(tmp_path: Path) -> None:
    def draw(canvas: Any) -> None:
        canvas.rect(66, 560, 470, 200)
        pdfs.lines(canvas, pdfs.LOREM, top=740)

    assert "|" not in read(tmp_path, draw)


def test_the_items_of_a_ruled_table_do_not_appear_again_beside_its_totals(tmp_path: Path) -> None:
    rows = [
        ("Article", "Number", "Price", "Amount"),
        ("Towing rope", "2", "10.00", "20.00"),
        ("Lantern", "1", "15.00", "15.00"),
        ("Boat hook", "4", "5.00", "20.00"),
    ]
    totals = [("Subtotal", "55.00"), ("VAT", "10.45"), ("Total due", "65.45")]

    def draw(page: Any) -> None:
        page.setFont("Helvetica", 11)
        edges = (72, 250, 330, 410, 500)
        for number, row in enumerate(rows):
            y = 700 - 20 * number
            page.drawString(edges[0] + 4, y, row[0])
            for edge, text in zip(edges[2:], row[1:], strict=True):
                page.drawRightString(edge - 4, y, text)
        for number in range(len(rows) + 1):
            page.line(edges[0], 714 - 20 * number, edges[-1], 714 - 20 * number)
        for edge in edges:
            page.line(edge, 714, edge, 714 - 20 * len(rows))
        for number, (name, amount) in enumerate(totals):
            page.drawRightString(406, 600 - 16 * number, name)
            page.drawRightString(496, 600 - 16 * number, amount)

    text = read(tmp_path, draw)

    assert "| Towing rope | 2 | 10.00 | 20.00 |" in text
    assert text.count("Towing rope") == 1
    assert text.count("65.45") == 1
