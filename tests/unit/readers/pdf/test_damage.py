"""Tests of encrypted, damaged, empty and oversized PDF files."""

from __future__ import annotations

import time
from pathlib import Path

import pikepdf
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.support import pdfs
from towpath.errors import Rejected
from towpath.readers.ocr.settings import OcrSettings
from towpath.readers.pdf.reader import read_pdf

NO_OCR = OcrSettings("off")
PAGES = [[f"{line} ({number})" for line in pdfs.LOREM] for number in range(1, 9)]


def rejection(path: Path, max_pages: int = 20_000) -> Rejected:
    with pytest.raises(Rejected) as caught:
        read_pdf(path, ocr=NO_OCR, max_pages=max_pages)
    return caught.value


def outcome(path: Path) -> str:
    try:
        extraction = read_pdf(path, ocr=NO_OCR)
    except Rejected as rejected:
        return rejected.code
    return (
        "read"
        if extraction.markdown and extraction.metadata["page_count"] == str(len(extraction.pages))
        else "inconsistent"
    )


def test_a_password_protected_file_is_rejected_as_encrypted(tmp_path: Path) -> None:
    path = pdfs.locked(tmp_path / "locked.pdf", pdfs.plain(tmp_path / "open.pdf", PAGES), user="secret")

    rejected = rejection(path)

    assert rejected.code == "encrypted"
    assert "password" in rejected.reason


def test_an_encrypted_file_with_an_empty_password_is_read(tmp_path: Path) -> None:
    path = pdfs.locked(tmp_path / "locked.pdf", pdfs.plain(tmp_path / "open.pdf", PAGES), user="")

    extraction = read_pdf(path, ocr=NO_OCR)

    assert len(extraction.pages) == 8
    assert extraction.engine.startswith("liteparse")


def test_a_truncated_file_gives_its_remaining_pages(tmp_path: Path) -> None:
    whole = pdfs.plain(tmp_path / "whole.pdf", PAGES).read_bytes()
    path = tmp_path / "half.pdf"
    path.write_bytes(whole[: whole.index(b"startxref") * 3 // 4])

    extraction = read_pdf(path, ocr=NO_OCR)

    assert 0 < len(extraction.pages) <= 8
    assert "from lock to lock (1)" in extraction.markdown
    assert "damaged" in extraction.warnings[0]


def test_pages_in_object_streams_are_recovered(tmp_path: Path) -> None:
    with pikepdf.open(pdfs.plain(tmp_path / "plain.pdf", PAGES)) as document:
        document.save(tmp_path / "packed.pdf", object_stream_mode=pikepdf.ObjectStreamMode.generate)
    packed = (tmp_path / "packed.pdf").read_bytes()
    path = tmp_path / "broken.pdf"
    index = packed.rindex(b" obj", 0, packed.rindex(b"/XRef"))
    path.write_bytes(packed[:index])

    extraction = read_pdf(path, ocr=NO_OCR)

    assert len(extraction.pages) == 8
    assert "(8)" in extraction.markdown


def test_a_file_with_a_wrong_index_is_repaired(tmp_path: Path) -> None:
    path = pdfs.plain(tmp_path / "index.pdf", PAGES)
    content = path.read_bytes()
    path.write_bytes(content.replace(b"startxref\n", b"startxref\n9"))

    assert len(read_pdf(path, ocr=NO_OCR).pages) == 8


@pytest.mark.parametrize(
    "content", [b"%PDF-1.7\n", b"%PDF-1.4\nno objects here\n%%EOF", b"%PDF-1.5\n" + bytes(9000)]
)
def test_a_file_without_pages_is_rejected_as_corrupt(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "bad.pdf"
    path.write_bytes(content)

    assert rejection(path).code == "corrupt"


def test_a_file_of_zero_bytes_is_rejected_as_empty(tmp_path: Path) -> None:
    path = tmp_path / "nothing"
    path.touch()

    assert rejection(path).code == "empty"


def test_blank_pages_are_rejected_as_empty(tmp_path: Path) -> None:
    assert rejection(pdfs.plain(tmp_path / "blank.pdf", [[], []])).code == "empty"


@pytest.mark.slow
def test_too_many_pages_are_rejected_before_they_are_read(tmp_path: Path) -> None:
    path = tmp_path / "endless.pdf"
    with pikepdf.new() as document:
        document.add_blank_page()
        for _ in range(3000):
            document.pages.append(document.pages[0])
        document.save(path)
    began = time.process_time()

    rejected = rejection(path, max_pages=2000)

    assert rejected.code == "too_large"
    assert "3,001 pages" in rejected.reason
    assert time.process_time() - began < 1


@pytest.mark.slow
@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_damaged_bytes_are_read_or_rejected(tmp_path: Path, data: st.DataObject) -> None:
    """The result is an extraction or ``Rejected`` for any damage."""
    path = tmp_path / "mutant.pdf"
    content = bytearray(pdfs.form(path).read_bytes())
    for _ in range(data.draw(st.integers(1, 20))):
        at = data.draw(st.integers(0, len(content) - 1))
        content[at : at + data.draw(st.integers(0, 40))] = data.draw(st.binary(max_size=40))
    path.write_bytes(content)

    codes = {"corrupt", "empty", "encrypted", "ocr_unavailable", "too_large"}
    assert outcome(path) in {"read", *codes}
