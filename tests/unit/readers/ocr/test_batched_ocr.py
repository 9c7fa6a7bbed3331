"""A long scan that is read batch by batch gives the same extraction as one pass."""

from __future__ import annotations

from pathlib import Path

import pytest
from PIL import Image

from tests.support import pdfs
from towpath.model.codec import EncodedExtraction
from towpath.model.page_plan import PagePlan, decode_plan, encode_plan
from towpath.readers.local_reader import assemble, read_file, read_or_plan, recognize_batch
from towpath.readers.ocr.rapidocr_engine import is_installed
from towpath.readers.ocr.settings import OcrSettings, find_engines

ON = OcrSettings("tesseract", languages=("eng",))

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(find_engines(ON) is None, reason="needs language data: pip install 'towpath[ocr]'"),
]


def _quiet(done: int, total: int) -> None:
    pass


def _page(number: int, *, turn: int = 0) -> Image.Image:
    return pdfs.picture([f"Page {number} of the ledger", *pdfs.LOREM[:2]], turn=turn, size=40)


def _in_batches(path: Path, media_type: str, ocr: OcrSettings = ON) -> tuple[PagePlan, EncodedExtraction]:
    plan = read_or_plan(str(path), media_type, ocr, _quiet)
    assert isinstance(plan, PagePlan)
    plan = decode_plan(encode_plan(plan))
    assert plan is not None
    answers: list[bytes] = []
    for batch in plan.batches:
        previous = answers[-1] if answers else None
        answers.append(recognize_batch(str(path), media_type, ocr, batch, previous, _quiet))
    return plan, assemble(str(path), media_type, ocr, answers, _quiet)


def test_a_scan_with_turned_pages_and_text_pages_is_the_same_in_batches(tmp_path: Path) -> None:
    """The rotation that one page needed is tried first on the next ones, also in the next batch."""
    pages = [_page(number, turn=90 if number in (3, 4, 5, 6) else 0) for number in range(1, 10)]
    path = pdfs.scan(
        tmp_path / "scan.pdf", [*pages[:7], ["A page with a text layer, in between."], *pages[7:]]
    )

    one_pass = read_file(str(path), "application/pdf", ON, _quiet)
    plan, batched = _in_batches(path, "application/pdf")

    assert (plan.page_count, plan.ocr_pages) == (10, 9)
    assert [batch.pages for batch in plan.batches] == [(1, 2, 3, 4), (5, 6, 7, 9), (10,)]
    assert batched == one_pass


@pytest.mark.skipif(not is_installed(), reason="needs RapidOCR: pip install 'towpath[ocr]'")
@pytest.mark.parametrize("suffix", ["pdf", "tiff"])
def test_each_page_is_a_batch_with_rapidocr(tmp_path: Path, suffix: str) -> None:
    """A page takes seconds, so a deadline or a killed server repeats one page at most."""
    pages = [_page(number).resize((850, 1100)) for number in range(1, 6)]
    path, media_type = tmp_path / f"scan.{suffix}", "application/pdf" if suffix == "pdf" else "image/tiff"
    if suffix == "pdf":
        pdfs.scan(path, pages)
    else:
        pages[0].save(path, save_all=True, append_images=pages[1:])
    both = OcrSettings("auto", languages=("eng",))

    one_pass = read_file(str(path), media_type, both, _quiet)
    plan, batched = _in_batches(path, media_type, both)

    assert [batch.pages for batch in plan.batches] == [(1,), (2,), (3,), (4,), (5,)]
    assert batched == one_pass


def test_a_multi_page_tiff_is_the_same_in_batches(tmp_path: Path) -> None:
    frames = [_page(number).resize((850, 1100)) for number in range(1, 10)]
    path = tmp_path / "scan.tiff"
    frames[0].save(path, save_all=True, append_images=frames[1:])

    one_pass = read_file(str(path), "image/tiff", ON, _quiet)
    plan, batched = _in_batches(path, "image/tiff")

    assert [len(batch.pages) for batch in plan.batches] == [4, 4, 1]
    assert batched == one_pass


def test_a_short_scan_is_read_in_one_pass(tmp_path: Path) -> None:
    path = pdfs.scan(tmp_path / "scan.pdf", [_page(1)])

    reading = read_or_plan(str(path), "application/pdf", ON, _quiet)

    assert isinstance(reading, EncodedExtraction)
    assert decode_plan(reading.extraction) is None
