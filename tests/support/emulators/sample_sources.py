"""Sample inputs for emulators: sources made of bytes, and generated PDFs."""

from __future__ import annotations

import io
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any


@dataclass(frozen=True, slots=True)
class BytesSource:
    """A ``Source`` that holds its bytes; ``stated_size`` is a wrong size that it reports."""

    data: bytes
    media_type: str = "application/pdf"
    address: str | None = None
    stated_size: int | None = None

    @property
    def size(self) -> int:
        return len(self.data) if self.stated_size is None else self.stated_size

    async def stream(self) -> AsyncIterator[bytes]:
        for start in range(0, len(self.data), 10_000):
            yield self.data[start : start + 10_000]

    async def signed_url(self) -> str | None:
        return self.address


@dataclass(frozen=True, slots=True)
class Text:
    """A line drawn at a place: points from the left and from the top of an A4 page."""

    text: str
    x: float = 72
    y: float = 72
    size: float = 11


def pdf(*pages: Sequence[Text], password: str | None = None) -> bytes:
    """A PDF with the given lines on its pages."""
    drawing: Any = import_module("reportlab.pdfgen.canvas")  # it carries no types
    drawn = io.BytesIO()
    canvas = drawing.Canvas(drawn, pagesize=(595, 842), encrypt=password, invariant=1)
    for lines in pages:
        for line in lines:
            canvas.setFont("Helvetica", line.size)
            canvas.drawString(line.x, 842 - line.y, line.text)
        canvas.showPage()
    canvas.save()
    return drawn.getvalue()


def invoice_pdf() -> bytes:
    """An invoice of two pages: heading, key-value lines, a table of items, terms on the second page."""
    rows = [
        ("Description", "Quantity", "Amount"),
        ("Oak barrel", "2", "$240.00"),
        ("Iron hoop", "12", "$36.50"),
    ]
    table = [
        Text(cell, x, 260 + 18 * number)
        for number, row in enumerate(rows)
        for cell, x in zip(row, (72, 300, 430), strict=True)
    ]
    first = [
        Text("Cooper & Sons", y=60, size=22),
        Text("Invoice number: A-1047", y=120),
        Text("Invoice date: 2024-05-17", y=140),
        Text("Customer: Harbour Brewery", y=160),
        Text("Thank you for your order. The barrels were made of", y=200),
        Text("Latvian oak and left our yard on Friday.", y=214),
        *table,
        Text("Total: $276.50", y=340),
        Text("7", x=300, y=820),
    ]
    second = [Text("Terms", y=60, size=18), Text("Payment is due within thirty days.", y=100)]
    return pdf(first, second)
