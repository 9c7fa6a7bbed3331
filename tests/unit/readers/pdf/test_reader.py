"""Tests of the PDF reader: spans, boxes, labels, forms, metadata, fallback engine."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pikepdf
import pytest

from tests.support import pdfs
from tests.support.readers import page_text
from towpath.model.content import Extraction
from towpath.readers.ocr.settings import OcrSettings
from towpath.readers.pdf import fallback_passes
from towpath.readers.pdf.liteparse_engine import LiteparseEngine
from towpath.readers.pdf.page_model import EngineError, PdfPage
from towpath.readers.pdf.pdfium import PdfiumFile
from towpath.readers.pdf.pdfium_engine import PdfiumEngine
from towpath.readers.pdf.reader import read_pdf

NO_OCR = OcrSettings("off")


def read(path: Path) -> Extraction:
    return read_pdf(path, ocr=NO_OCR)


def _fail(engine: LiteparseEngine) -> Iterator[PdfPage]:
    raise EngineError("out of order")


@pytest.mark.parametrize("engine", ["liteparse", "pdfium"])
def test_pages_and_blocks_have_spans_and_boxes(
    tmp_path: Path, engine: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if engine == "pdfium":
        monkeypatch.setattr(LiteparseEngine, "pages", _fail)
    path = pdfs.plain(
        tmp_path / "two.pdf", [["Alpha stands on the first page"], ["Omega stands on the second"]]
    )

    extraction = read(path)

    assert [page.number for page in extraction.pages] == [1, 2]
    assert page_text(extraction, 1) == "Alpha stands on the first page"
    assert page_text(extraction, 2) == "Omega stands on the second"
    assert [(extraction.markdown[block.start : block.end], block.page) for block in extraction.blocks] == [
        ("Alpha stands on the first page", 1),
        ("Omega stands on the second", 2),
    ]
    box = extraction.blocks[0].box
    assert box is not None
    # Drawn at 72 points from the left, on a base line 700 points above the foot of a page 612 by 792.
    assert box.x0 == pytest.approx(72 / 612, abs=0.005)
    assert box.y0 < (792 - 700) / 792 < box.y1 + 0.005
    assert (extraction.pages[0].width, extraction.pages[0].height) == (612.0, 792.0)
    assert extraction.engine.startswith(engine)


def test_the_same_bytes_give_the_same_extraction(tmp_path: Path) -> None:
    path = pdfs.book(tmp_path / "book.pdf", [[pdfs.Mark("Locks")], [pdfs.Mark("Boats")]], header="Canals")

    assert read(path) == read(path)


def test_a_file_without_pdf_suffix_is_read(tmp_path: Path) -> None:
    named = pdfs.table(tmp_path / "table.pdf", [["Lock", "Rise", "Built"], ["Foxton", "23 m", "1814"]])
    bare = named.rename(tmp_path / "0b51c0ffee")

    extraction = read(bare)

    assert extraction.engine.startswith("liteparse")
    assert "| Foxton | 23 m | 1814 |" in extraction.markdown


@pytest.mark.slow
def test_files_with_over_a_thousand_pages_are_read_completely(tmp_path: Path) -> None:
    path = pdfs.plain(tmp_path / "long.pdf", [[f"This is page number {number}"] for number in range(1, 1042)])
    seen: list[tuple[int, int]] = []

    extraction = read_pdf(path, lambda done, total: seen.append((done, total)), ocr=NO_OCR)

    assert len(extraction.pages) == 1041
    assert page_text(extraction, 1041) == "This is page number 1041"
    assert seen == sorted(seen)
    assert seen[-1] == (1041, 1041)


@pytest.mark.slow
def test_memory_is_constant_over_a_thousand_pages(tmp_path: Path) -> None:
    page = [f"{line} and then {number} more" for number in range(8) for line in pdfs.LOREM]
    path = pdfs.plain(tmp_path / "long.pdf", [page] * 1000)
    program = (
        "import re, sys; from pathlib import Path;"
        "from towpath.readers.ocr.settings import OcrSettings;"
        "from towpath.readers.pdf.reader import read_pdf;"
        "assert len(read_pdf(Path(sys.argv[1]), ocr=OcrSettings('off')).pages) == 1000;"
        # Not ru_maxrss: it includes the parent process at the time of the fork.
        "print(re.search(r'VmHWM:\\s*(\\d+)', Path('/proc/self/status').read_text())[1])"
    )

    done = subprocess.run(
        [sys.executable, "-c", program, str(path)], capture_output=True, text=True, check=True
    )

    assert int(done.stdout) < 300_000, f"{int(done.stdout) // 1024} MB"


def test_page_labels_are_read(tmp_path: Path) -> None:
    path = pdfs.plain(tmp_path / "labels.pdf", [["Preface to the book"], ["Chapter one begins"]])
    with pikepdf.open(path, allow_overwriting_input=True) as document:
        roman = pikepdf.Dictionary(S=pikepdf.Name.r)
        arabic = pikepdf.Dictionary(S=pikepdf.Name.D)
        document.Root.PageLabels = pikepdf.Dictionary(Nums=[0, roman, 1, arabic])
        document.save(path)

    assert [page.label for page in read(path).pages] == ["i", "1"]


@pytest.mark.parametrize("turn", [90, 180, 270])
def test_rotated_text_is_read_in_order(tmp_path: Path, turn: int) -> None:
    extraction = read(pdfs.sideways(tmp_path / "turned.pdf", pdfs.LOREM, turn))

    assert extraction.markdown == " ".join(pdfs.LOREM)
    box = extraction.blocks[0].box
    assert box is not None
    # The paragraph is at the top left of the upright page; a clockwise rotation moves that corner.
    corner = {90: (1, 0), 180: (1, 1), 270: (0, 1)}[turn]
    assert (round((box.x0 + box.x1) / 2), round((box.y0 + box.y1) / 2)) == corner


def test_right_to_left_text_keeps_its_order(tmp_path: Path) -> None:
    texts = ["שלום לכולם ולכל החברים", "הסירה עברה בתעלה הישנה"]

    assert read(pdfs.hebrew(tmp_path / "hebrew.pdf", texts)).markdown == " ".join(texts)


def test_filled_form_fields_have_spans_and_boxes(tmp_path: Path) -> None:
    extraction = read(pdfs.form(tmp_path / "form.pdf"))

    values = {field.name: field.value for field in extraction.fields}
    assert values == {"Full name": "Ada Lovelace", "town": "Paris", "agreed": "Yes"}
    name = extraction.fields[0]
    assert (name.kind, name.page) == ("form", 1)
    assert extraction.markdown[name.start : name.end] == "Ada Lovelace"
    assert name.box is not None
    assert name.box.x0 == pytest.approx(150 / 612, abs=0.01)


def test_file_metadata(tmp_path: Path) -> None:
    path = pdfs.book(tmp_path / "book.pdf", [[]], title="Canals of Europe", author="Ada Reed")

    assert read(path).metadata == {
        "title": "Canals of Europe",
        "authors": "Ada Reed",
        "producer": "ReportLab PDF Library - (opensource)",
        "created": "2000-01-01T00:00:00+00:00",
        "modified": "2000-01-01T00:00:00+00:00",
        "page_count": "1",
    }


def test_xmp_is_used_if_the_info_dictionary_is_empty(tmp_path: Path) -> None:
    path = pdfs.plain(tmp_path / "xmp.pdf", [["A page"]])
    with pikepdf.open(path, allow_overwriting_input=True) as document:
        with document.open_metadata(set_pikepdf_as_editor=False, update_docinfo=False) as packet:
            packet["dc:title"] = "Titled by XMP"
            packet["dc:creator"] = ["Ada Reed", "Bo Lind"]
        document.save(path)

    metadata = read(path).metadata

    assert (metadata["title"], metadata["authors"]) == ("Titled by XMP", "Ada Reed, Bo Lind")


def test_underscores_and_asterisks_in_words_are_kept(tmp_path: Path) -> None:
    texts = ["# no heading, but a line with a hash", "the variable DEB_BUILD_OPTIONS and 2 * 3 * 4 = 24"]
    path = pdfs.plain(tmp_path / "signs.pdf", [[texts[0], "", "", texts[1]]])

    assert read(path).markdown == f"\\{texts[0]}\n\n{texts[1]}"


def test_pages_that_liteparse_omits_are_read_by_pdfium(tmp_path: Path) -> None:
    path = pdfs.plain(
        tmp_path / "three.pdf", [["First page of all"], ["Second page here"], ["Third page, the last"]]
    )
    file = PdfiumFile(path)
    second = PdfiumEngine(file)
    pages = {2: second.read_page(2)}
    done: list[None] = []

    all_missing = fallback_passes.reread_with_pdfium(pages, second, 3, lambda: done.append(None))

    file.close()
    assert {number: page.blocks[0].text for number, page in pages.items()} == {
        1: "First page of all",
        2: "Second page here",
        3: "Third page, the last",
    }
    assert not all_missing
    assert len(done) == 2


def test_pdfium_rejoins_hyphenated_words_and_detects_headings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(LiteparseEngine, "pages", _fail)

    def draw(paper: object) -> None:
        pdfs.lines(paper, ["Inland waterways"], top=740, size=20)
        pdfs.lines(
            paper,
            ["Boats went from lock to lock and were un-", "loaded at the wharf below the town."],
            top=700,
        )

    extraction = read(pdfs.drawing(tmp_path / "hyphen.pdf", draw))

    assert extraction.markdown == (
        "# Inland waterways\n\nBoats went from lock to lock and were unloaded at the wharf below the town."
    )
