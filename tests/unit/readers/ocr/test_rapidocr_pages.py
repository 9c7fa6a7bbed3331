"""RapidOCR: lines in order, rotated and skewed pages, words with boxes, batches, and glued words."""

from __future__ import annotations

from pathlib import Path

import pytest
from PIL import Image, ImageDraw, ImageFont

from tests.support import pdfs
from towpath.model.page_plan import PagePlan
from towpath.readers.images.reader import read_image
from towpath.readers.local_reader import assemble, read_file, read_or_plan, recognize_batch
from towpath.readers.ocr.settings import OcrSettings, find_engines
from towpath.readers.pdf.reader import read_pdf

RAPIDOCR = OcrSettings("rapidocr")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(find_engines(RAPIDOCR) is None, reason="needs rapidocr: pip install 'towpath[ocr]'"),
]

ROWS = [("Lock fee", "12.50"), ("Mooring, two nights", "30.00"), ("TOTAL", "42.50"), ("Cash", "50.00")]


def receipt(*, turn: float = 0) -> Image.Image:
    """Labels on the left and amounts on the right, far apart."""
    image = Image.new("L", (700, 560), "white")
    pen, font = ImageDraw.Draw(image), ImageFont.load_default(30)
    pen.text((60, 50), "CANAL SHOP LTD", fill="black", font=font)
    for index, (label, amount) in enumerate(ROWS):
        pen.text((60, 150 + index * 80), label, fill="black", font=font)
        pen.text((540, 150 + index * 80), amount, fill="black", font=font)
    return image.rotate(-turn, expand=True, fillcolor="white")


def lines(markdown: str) -> list[str]:
    return [line.strip() for line in markdown.splitlines() if line.strip()]


def test_a_label_and_its_amount_are_on_one_line(tmp_path: Path) -> None:
    path = tmp_path / "receipt.png"
    receipt().save(path)

    extraction = read_image(path, ocr=RAPIDOCR)

    assert lines(extraction.markdown)[-4:] == [f"{label} {amount}" for label, amount in ROWS]
    assert extraction.engine.endswith("with RapidOCR")
    total = next(word for word in extraction.words if word.text == "42.50")
    assert total.confidence is not None
    assert total.confidence > 0.9
    assert total.box.x0 == pytest.approx(540 / 700, abs=0.03)
    assert total.box.y0 == pytest.approx(310 / 560, abs=0.04)


@pytest.mark.parametrize("turn", [90, 180, 270, 4])
def test_a_rotated_or_skewed_receipt_is_read_in_order(tmp_path: Path, turn: int) -> None:
    path = tmp_path / "receipt.png"
    receipt(turn=turn).save(path)

    extraction = read_image(path, ocr=RAPIDOCR)

    assert lines(extraction.markdown)[-4:] == [f"{label} {amount}" for label, amount in ROWS]


def test_a_scan_is_the_same_in_batches(tmp_path: Path) -> None:
    pages = [pdfs.picture([f"Page {number}"], size=60) for number in range(1, 10)]
    path = str(pdfs.scan(tmp_path / "scan.pdf", pages))

    one_pass = read_file(path, "application/pdf", RAPIDOCR, lambda done, total: None)
    plan = read_or_plan(path, "application/pdf", RAPIDOCR, lambda done, total: None)
    answers: list[bytes] = []
    assert isinstance(plan, PagePlan)
    for batch in plan.batches:
        previous = answers[-1] if answers else None
        answers.append(
            recognize_batch(path, "application/pdf", RAPIDOCR, batch, previous, lambda done, total: None)
        )

    assert assemble(path, "application/pdf", RAPIDOCR, answers, lambda done, total: None) == one_pass


def test_a_page_of_noise_is_not_presented_as_text(tmp_path: Path) -> None:
    noise = Image.effect_noise((1275, 1650), 90)
    path = pdfs.scan(tmp_path / "noise.pdf", [["A page with a text layer"], noise])

    extraction = read_pdf(path, ocr=RAPIDOCR)

    assert extraction.markdown == "A page with a text layer" or "poorly legible" in extraction.warnings[0]
