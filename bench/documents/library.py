"""Generates the PDFs of the documents benchmark: prose with chapters and an outline."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any, cast

from reportlab.lib.pagesizes import A4  # pyright: ignore[reportMissingTypeStubs]
from reportlab.pdfgen import canvas  # pyright: ignore[reportMissingTypeStubs]

LINES = 44
_WORDS = """
the canal water lock boat keeper morning evening letter ledger toll bridge towpath horse rope coal
grain engineer survey contract winter summer arch aqueduct tunnel light lamp house village market
price week year carried opened closed measured counted answered waited crossed raised lowered under
over between along after before and with from for that which when while of in on at by a an his her
their every first last narrow deep
""".split()


def make(folder: Path, files: int, pages: int) -> list[Path]:
    """Generate different PDFs, which are the same in every run."""
    return [_book(folder / f"book-{number:02}.pdf", pages, random.Random(number)) for number in range(files)]


def _book(path: Path, pages: int, rng: random.Random) -> Path:
    pdf = cast(Any, canvas.Canvas(str(path), pagesize=A4, invariant=1))
    for number in range(1, pages + 1):
        top = 800.0
        if number % 12 == 1:
            title = f"Chapter {number // 12 + 1}: {' '.join(rng.choices(_WORDS, k=4)).title()}"
            pdf.bookmarkPage(title)
            pdf.addOutlineEntry(title, title, level=0)
            pdf.setFont("Times-Bold", 18)
            pdf.drawString(60, top, title)
            top -= 30
        pdf.setFont("Times-Roman", 11)
        for _ in range(LINES):
            words = rng.choices(_WORDS, k=13)
            ending = "." if rng.random() < 0.4 else ""
            pdf.drawString(60, top, " ".join(words).capitalize() + ending)
            top -= 16
        pdf.setFont("Times-Roman", 9)
        pdf.drawString(290, 30, str(number))
        pdf.showPage()
    pdf.save()
    return path
