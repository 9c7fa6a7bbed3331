"""A PDF becomes markdown whose every passage can be found again on its page."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pikepdf
import pytest

from tests.support import pdfs
from tests.support.reading import page_text
from towpath.model.content import Extraction
from towpath.providers.local.ocr import OcrSettings
from towpath.providers.local.pdf import rereading
from towpath.providers.local.pdf.pdfium import PdfiumFile
from towpath.providers.local.pdf.pdfium_engine import PdfiumEngine
from towpath.providers.local.pdf.read import EngineName, read_pdf

NO_OCR = OcrSettings(enabled=False)


def read(path: Path, engine: EngineName = "liteparse") -> Extraction:
    return read_pdf(path, ocr=NO_OCR, engine=engine)


@pytest.mark.parametrize("engine", ["liteparse", "pdfium"])
def test_every_page_and_passage_has_its_place(tmp_path: Path, engine: EngineName) -> None:
    path = pdfs.plain(
        tmp_path / "two.pdf", [["Alpha stands on the first page"], ["Omega stands on the second"]]
    )

    got = read(path, engine)

    assert [page.number for page in got.pages] == [1, 2]
    assert page_text(got, 1) == "Alpha stands on the first page"
    assert page_text(got, 2) == "Omega stands on the second"
    assert [(got.markdown[block.start : block.end], block.page) for block in got.blocks] == [
        ("Alpha stands on the first page", 1),
        ("Omega stands on the second", 2),
    ]
    box = got.blocks[0].box
    assert box is not None
    # Drawn at 72 points from the left, on a base line 700 points above the foot of a page 612 by 792.
    assert box.x0 == pytest.approx(72 / 612, abs=0.005)
    assert box.y0 < (792 - 700) / 792 < box.y1 + 0.005
    assert (got.pages[0].width, got.pages[0].height) == (612.0, 792.0)
    assert got.engine.startswith(engine)


def test_the_same_bytes_give_the_same_extraction(tmp_path: Path) -> None:
    path = pdfs.book(tmp_path / "book.pdf", [[pdfs.Mark("Locks")], [pdfs.Mark("Boats")]], header="Canals")

    assert read(path) == read(path)


def test_a_stored_file_without_a_name_of_its_own_is_read_as_well(tmp_path: Path) -> None:
    named = pdfs.table(tmp_path / "table.pdf", [["Lock", "Rise", "Built"], ["Foxton", "23 m", "1814"]])
    bare = named.rename(tmp_path / "0b51c0ffee")

    got = read(bare)

    assert got.engine.startswith("liteparse")
    assert "| Foxton | 23 m | 1814 |" in got.markdown


def test_no_page_is_lost_beyond_the_thousandth(tmp_path: Path) -> None:
    path = pdfs.plain(tmp_path / "long.pdf", [[f"This is page number {number}"] for number in range(1, 1042)])
    seen: list[tuple[int, int]] = []

    got = read_pdf(path, lambda done, total: seen.append((done, total)), ocr=NO_OCR)

    assert len(got.pages) == 1041
    assert page_text(got, 1041) == "This is page number 1041"
    assert seen == sorted(seen)
    assert seen[-1] == (1041, 1041)


def test_memory_stays_flat_over_a_thousand_pages(tmp_path: Path) -> None:
    page = [f"{line} and then {number} more" for number in range(8) for line in pdfs.LOREM]
    path = pdfs.plain(tmp_path / "long.pdf", [page] * 1000)
    program = (
        "import re, sys; from pathlib import Path;"
        "from towpath.providers.local.ocr import OcrSettings;"
        "from towpath.providers.local.pdf import read_pdf;"
        "assert len(read_pdf(Path(sys.argv[1]), ocr=OcrSettings(enabled=False)).pages) == 1000;"
        # Not ru_maxrss: that one remembers the process it was forked from.
        "print(re.search(r'VmHWM:\\s*(\\d+)', Path('/proc/self/status').read_text())[1])"
    )

    done = subprocess.run(
        [sys.executable, "-c", program, str(path)], capture_output=True, text=True, check=True
    )

    assert int(done.stdout) < 300_000, f"{int(done.stdout) // 1024} MB"


def test_page_labels_are_those_a_reader_shows(tmp_path: Path) -> None:
    path = pdfs.plain(tmp_path / "labels.pdf", [["Preface to the book"], ["Chapter one begins"]])
    with pikepdf.open(path, allow_overwriting_input=True) as document:
        roman = pikepdf.Dictionary(S=pikepdf.Name.r)
        arabic = pikepdf.Dictionary(S=pikepdf.Name.D)
        document.Root.PageLabels = pikepdf.Dictionary(Nums=[0, roman, 1, arabic])
        document.save(path)

    assert [page.label for page in read(path).pages] == ["i", "1"]


@pytest.mark.parametrize("turn", [90, 180, 270])
def test_text_that_stands_sideways_is_read_in_order(tmp_path: Path, turn: int) -> None:
    got = read(pdfs.sideways(tmp_path / "turned.pdf", pdfs.LOREM, turn))

    assert got.markdown == " ".join(pdfs.LOREM)
    box = got.blocks[0].box
    assert box is not None
    # The paragraph stands at the top left of the upright page; turned clockwise, that corner moves on.
    corner = {90: (1, 0), 180: (1, 1), 270: (0, 1)}[turn]
    assert (round((box.x0 + box.x1) / 2), round((box.y0 + box.y1) / 2)) == corner


def test_right_to_left_text_keeps_its_order(tmp_path: Path) -> None:
    texts = ["שלום לכולם ולכל החברים", "הסירה עברה בתעלה הישנה"]

    assert read(pdfs.hebrew(tmp_path / "hebrew.pdf", texts)).markdown == " ".join(texts)


def test_filled_form_fields_are_found_with_their_place(tmp_path: Path) -> None:
    got = read(pdfs.form(tmp_path / "form.pdf"))

    values = {field.name: field.value for field in got.fields}
    assert values == {"Full name": "Ada Lovelace", "town": "Paris", "agreed": "Yes"}
    name = got.fields[0]
    assert (name.kind, name.page) == ("form", 1)
    assert got.markdown[name.start : name.end] == "Ada Lovelace"
    assert name.box is not None
    assert name.box.x0 == pytest.approx(150 / 612, abs=0.01)


def test_what_the_file_says_of_itself_becomes_metadata(tmp_path: Path) -> None:
    path = pdfs.book(tmp_path / "book.pdf", [[]], title="Canals of Europe", author="Ada Reed")

    assert read(path).metadata == {
        "title": "Canals of Europe",
        "authors": "Ada Reed",
        "producer": "ReportLab PDF Library - (opensource)",
        "created": "2000-01-01T00:00:00+00:00",
        "modified": "2000-01-01T00:00:00+00:00",
        "page_count": "1",
    }


def test_xmp_answers_where_the_info_dictionary_is_silent(tmp_path: Path) -> None:
    path = pdfs.plain(tmp_path / "xmp.pdf", [["A page"]])
    with pikepdf.open(path, allow_overwriting_input=True) as document:
        with document.open_metadata(set_pikepdf_as_editor=False, update_docinfo=False) as packet:
            packet["dc:title"] = "Titled by XMP"
            packet["dc:creator"] = ["Ada Reed", "Bo Lind"]
        document.save(path)

    got = read(path).metadata

    assert (got["title"], got["authors"]) == ("Titled by XMP", "Ada Reed, Bo Lind")


def test_words_stay_as_they_are(tmp_path: Path) -> None:
    texts = ["# no heading, but a line with a hash", "the variable DEB_BUILD_OPTIONS and 2 * 3 * 4 = 24"]
    path = pdfs.plain(tmp_path / "signs.pdf", [[texts[0], "", "", texts[1]]])

    assert read(path).markdown == f"\\{texts[0]}\n\n{texts[1]}"


def test_pages_the_first_engine_leaves_out_are_read_by_the_second(tmp_path: Path) -> None:
    path = pdfs.plain(
        tmp_path / "three.pdf", [["First page of all"], ["Second page here"], ["Third page, the last"]]
    )
    file = PdfiumFile(path)
    second = PdfiumEngine(file)
    pages = {2: second.page(2)}
    done: list[None] = []

    all_missing = rereading.missing_and_mistaken(pages, second, 3, lambda: done.append(None))

    file.close()
    assert {number: page.pieces[0].text for number, page in pages.items()} == {
        1: "First page of all",
        2: "Second page here",
        3: "Third page, the last",
    }
    assert not all_missing
    assert len(done) == 2


def test_the_second_engine_makes_words_whole_and_titles_headings(tmp_path: Path) -> None:
    def draw(paper: object) -> None:
        pdfs.lines(paper, ["Inland waterways"], top=740, size=20)
        pdfs.lines(
            paper,
            ["Boats went from lock to lock and were un-", "loaded at the wharf below the town."],
            top=700,
        )

    got = read(pdfs.drawing(tmp_path / "hyphen.pdf", draw), "pdfium")

    assert got.markdown == (
        "# Inland waterways\n\nBoats went from lock to lock and were unloaded at the wharf below the town."
    )
