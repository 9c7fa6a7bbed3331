"""Tests of OCR for scanned PDFs and images, with and without language data."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Literal

import pytest
from PIL import Image, ImageDraw, ImageOps

from tests.support import pdfs
from tests.support.readers import page_text
from towpath.errors import Rejected
from towpath.readers.images.reader import read_image
from towpath.readers.ocr.page_ocr import resolution
from towpath.readers.ocr.settings import (
    OcrEngines,
    OcrSettings,
    find_engines,
    find_language_data,
    missing_language_warnings,
)
from towpath.readers.pdf.fallback_passes import page_list
from towpath.readers.pdf.reader import read_pdf

pytestmark = pytest.mark.slow

ON = OcrSettings("tesseract", languages=("eng",))
OFF = OcrSettings("off")
TEXT = ["INVOICE 4711", *pdfs.LOREM, "Total amount due: 1250 pounds"]

with_data = pytest.mark.skipif(
    find_engines(ON) is None, reason="needs language data: pip install 'towpath[ocr]'"
)


def words(text: str) -> set[str]:
    return set(re.findall(r"[A-Za-z]{4,}|\d+", text))


def share_read(text: str) -> float:
    expected = words(" ".join(TEXT))
    return len(expected & words(text)) / len(expected)


@with_data
def test_a_scanned_page_is_read_with_boxes(tmp_path: Path) -> None:
    seen: list[tuple[int, int]] = []

    extraction = read_pdf(
        pdfs.scan(tmp_path / "scan.pdf", [pdfs.picture(TEXT)]),
        lambda done, total: seen.append((done, total)),
        ocr=ON,
    )

    assert share_read(extraction.markdown) > 0.9
    assert extraction.engine.endswith("with Tesseract")
    assert seen == [(1, 1)]
    first = extraction.blocks[0].box
    assert first is not None
    assert first.x0 == pytest.approx(120 / 1275, abs=0.02)
    assert first.y0 == pytest.approx(140 / 1650, abs=0.02)


@with_data
@pytest.mark.parametrize("turn", [90, 180, 270])
def test_a_rotated_scan_is_read(tmp_path: Path, turn: int) -> None:
    extraction = read_pdf(pdfs.scan(tmp_path / "turned.pdf", [pdfs.picture(TEXT, turn=turn)]), ocr=ON)

    assert share_read(extraction.markdown) > 0.9
    box = extraction.blocks[0].box
    assert box is not None
    # The first line is where the rotation moved the top left corner.
    corner = {90: (1, 0), 180: (1, 1), 270: (0, 1)}[turn]
    middle = ((box.x0 + box.x1) / 2, (box.y0 + box.y1) / 2)
    assert tuple(map(round, middle)) == corner


@with_data
def test_only_scanned_pages_of_a_mixed_file_use_ocr(tmp_path: Path) -> None:
    path = pdfs.scan(
        tmp_path / "mixed.pdf", [["A page with a text layer"], pdfs.picture(TEXT), ["The last page"]]
    )

    extraction = read_pdf(path, ocr=ON)

    assert page_text(extraction, 1) == "A page with a text layer"
    assert share_read(page_text(extraction, 2)) > 0.9
    assert page_text(extraction, 3) == "The last page"


@with_data
def test_text_in_a_font_without_unicode_map_is_read_by_ocr(tmp_path: Path) -> None:
    extraction = read_pdf(pdfs.nameless(tmp_path / "nameless.pdf", TEXT), ocr=ON)

    assert share_read(extraction.markdown) > 0.9


def test_without_ocr_a_mixed_file_is_read_with_a_warning_about_scans(tmp_path: Path) -> None:
    picture = pdfs.picture(TEXT)
    pages = [["A page with a text layer"], picture, picture, ["Another page"], picture]

    extraction = read_pdf(pdfs.scan(tmp_path / "mixed.pdf", pages), ocr=OFF)

    assert extraction.markdown == "A page with a text layer\n\nAnother page"
    assert len(extraction.pages) == 5
    assert extraction.warnings[0].startswith("Pages 2-3, 5 have no text layer and were not read.")


def test_without_language_data_a_scan_is_rejected_with_the_install_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = pdfs.scan(tmp_path / "scan.pdf", [pdfs.picture(TEXT)])
    monkeypatch.setattr("sys.prefix", str(tmp_path))
    monkeypatch.setattr("sys.base_prefix", str(tmp_path))
    settings = OcrSettings("tesseract", languages=("klingon",))

    with pytest.raises(Rejected) as caught:
        read_pdf(path, ocr=settings)

    assert caught.value.code == "ocr_unavailable"
    assert "klingon.traineddata" in caught.value.reason
    assert "pip install 'towpath[ocr]'" in caught.value.reason


def test_the_folder_of_language_data_is_configurable(tmp_path: Path) -> None:
    (tmp_path / "deu.traineddata").touch()
    settings = OcrSettings("tesseract", tmp_path, ("eng", "deu"))

    data = find_language_data(settings)

    assert data is not None
    assert (data.folder, data.languages) == (tmp_path, ("deu",))
    assert "no data for eng" in missing_language_warnings(settings, OcrEngines(False, data))[0]
    assert find_language_data(OcrSettings("tesseract", tmp_path, ("fra",))) is None


def test_invalid_language_data_is_reported(tmp_path: Path) -> None:
    (tmp_path / "eng.traineddata").write_bytes(b"not language data")
    settings = OcrSettings("tesseract", tmp_path)
    mixed = pdfs.scan(tmp_path / "mixed.pdf", [["A page with a text layer"], pdfs.picture(TEXT)])
    scan = pdfs.scan(tmp_path / "scan.pdf", [pdfs.picture(TEXT)])

    assert "Page 2 has no text layer and was not read." in read_pdf(mixed, ocr=settings).warnings[0]
    with pytest.raises(Rejected) as caught:
        read_pdf(scan, ocr=settings)

    assert caught.value.code == "ocr_unavailable"
    assert str(tmp_path) in caught.value.reason


def test_blank_pages_need_no_ocr(tmp_path: Path) -> None:
    blank = Image.new("L", (1275, 1650), "white")
    path = pdfs.scan(tmp_path / "blank.pdf", [["A page with a text layer"], [], blank])

    extraction = read_pdf(path, ocr=OFF)

    assert page_text(extraction, 2) == ""


@with_data
@pytest.mark.parametrize("kind", ["PNG", "JPEG", "TIFF", "WEBP", "BMP", "GIF"])
def test_every_image_format_is_read(
    tmp_path: Path, kind: Literal["PNG", "JPEG", "TIFF", "WEBP", "BMP", "GIF"]
) -> None:
    extraction = read_image(pdfs.image_file(tmp_path / "upload", [pdfs.picture(TEXT)], kind), ocr=ON)

    assert share_read(extraction.markdown) > 0.9
    assert [(page.number, page.width, page.height) for page in extraction.pages] == [(1, 1275.0, 1650.0)]


@with_data
def test_every_page_of_a_tiff_is_read(tmp_path: Path) -> None:
    sheets = [pdfs.picture([f"Sheet number {word}"], size=60) for word in ("ONE", "TWO", "THREE")]
    seen: list[tuple[int, int]] = []

    extraction = read_image(
        pdfs.image_file(tmp_path / "fax", sheets, "TIFF"),
        lambda done, total: seen.append((done, total)),
        ocr=ON,
    )

    assert [page_text(extraction, number).upper() for number in (1, 2, 3)] == [
        "SHEET NUMBER ONE",
        "SHEET NUMBER TWO",
        "SHEET NUMBER THREE",
    ]
    assert seen == [(1, 3), (2, 3), (3, 3)]


@with_data
def test_text_on_a_transparent_background_is_read(tmp_path: Path) -> None:
    sheet = pdfs.picture(["Transparent invoice"], size=60)
    glass = Image.merge("LA", (Image.new("L", sheet.size, "black"), ImageOps.invert(sheet)))

    extraction = read_image(pdfs.image_file(tmp_path / "glass", [glass], "PNG"), ocr=ON)

    assert "Transparent invoice" in extraction.markdown


@with_data
@pytest.mark.parametrize("scene", ["white", "circles"])
def test_an_image_without_text_is_rejected_as_empty(tmp_path: Path, scene: str) -> None:
    image = Image.new("L", (600, 600), "white")
    if scene == "circles":
        ImageDraw.Draw(image).ellipse((100, 100, 500, 500), outline="black", width=8)

    with pytest.raises(Rejected) as caught:
        read_image(pdfs.image_file(tmp_path / "scene", [image], "PNG"), ocr=ON)

    assert caught.value.code == "empty"


@with_data
def test_a_truncated_image_is_rejected_as_corrupt(tmp_path: Path) -> None:
    path = pdfs.image_file(tmp_path / "half", [pdfs.picture(TEXT)], "PNG")
    path.write_bytes(path.read_bytes()[:2000])

    with pytest.raises(Rejected) as caught:
        read_image(path, ocr=ON)

    assert caught.value.code == "corrupt"


def test_without_ocr_an_image_is_rejected(tmp_path: Path) -> None:
    with pytest.raises(Rejected) as caught:
        read_image(pdfs.image_file(tmp_path / "photo", [pdfs.picture(TEXT)], "JPEG"), ocr=OFF)

    assert caught.value.code == "ocr_unavailable"
    assert "turned off" in caught.value.reason


@pytest.mark.parametrize(
    ("width", "height", "dpi"),
    [
        (612, 792, 200),
        (408, 528, 300),
        (200, 150, 400),
        (2384, 3370, 100),
        (216, 2160, 200),
        (14400, 14400, 31),
    ],
)
def test_resolution_depends_on_page_size(width: float, height: float, dpi: int) -> None:
    assert resolution(width, height) == dpi


@pytest.mark.parametrize(
    ("numbers", "sentence"), [([3], "Page 3"), ([3, 4], "Pages 3-4"), ([1, 7, 8, 9, 12], "Pages 1, 7-9, 12")]
)
def test_page_numbers_are_listed_as_ranges(numbers: list[int], sentence: str) -> None:
    assert page_list(numbers) == sentence
