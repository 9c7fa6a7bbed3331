"""Locked, broken, empty and endless PDFs: mended where possible, refused with a reason where not."""

from __future__ import annotations

import time
from pathlib import Path

import pikepdf
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.support import pdfs
from towpath.errors import Rejected
from towpath.providers.local.ocr import OcrSettings
from towpath.providers.local.pdf import read_pdf

NO_OCR = OcrSettings(enabled=False)
PAGES = [[f"{line} ({number})" for line in pdfs.LOREM] for number in range(1, 9)]


def refusal(path: Path, max_pages: int = 20_000) -> Rejected:
    with pytest.raises(Rejected) as caught:
        read_pdf(path, ocr=NO_OCR, max_pages=max_pages)
    return caught.value


def outcome(path: Path) -> str:
    try:
        got = read_pdf(path, ocr=NO_OCR)
    except Rejected as refused:
        return refused.code
    return "read" if got.markdown and got.metadata["page_count"] == str(len(got.pages)) else "inconsistent"


def test_a_file_that_wants_a_password_is_refused_as_encrypted(tmp_path: Path) -> None:
    path = pdfs.locked(tmp_path / "locked.pdf", pdfs.plain(tmp_path / "open.pdf", PAGES), user="secret")

    refused = refusal(path)

    assert refused.code == "encrypted"
    assert "password" in refused.reason


def test_a_file_anyone_may_open_is_read_though_it_is_encrypted(tmp_path: Path) -> None:
    path = pdfs.locked(tmp_path / "locked.pdf", pdfs.plain(tmp_path / "open.pdf", PAGES), user="")

    got = read_pdf(path, ocr=NO_OCR)

    assert len(got.pages) == 8
    assert got.engine.startswith("liteparse")


def test_an_upload_that_broke_off_gives_the_pages_that_arrived(tmp_path: Path) -> None:
    whole = pdfs.plain(tmp_path / "whole.pdf", PAGES).read_bytes()
    path = tmp_path / "half.pdf"
    path.write_bytes(whole[: whole.index(b"startxref") * 3 // 4])

    got = read_pdf(path, ocr=NO_OCR)

    assert 0 < len(got.pages) <= 8
    assert "from lock to lock (1)" in got.markdown
    assert "damaged" in got.warnings[0]


def test_pages_packed_into_object_streams_are_found_as_well(tmp_path: Path) -> None:
    with pikepdf.open(pdfs.plain(tmp_path / "plain.pdf", PAGES)) as document:
        document.save(tmp_path / "packed.pdf", object_stream_mode=pikepdf.ObjectStreamMode.generate)
    packed = (tmp_path / "packed.pdf").read_bytes()
    path = tmp_path / "broken.pdf"
    index = packed.rindex(b" obj", 0, packed.rindex(b"/XRef"))
    path.write_bytes(packed[:index])

    got = read_pdf(path, ocr=NO_OCR)

    assert len(got.pages) == 8
    assert "(8)" in got.markdown


def test_a_file_with_a_wrong_index_is_mended(tmp_path: Path) -> None:
    path = pdfs.plain(tmp_path / "index.pdf", PAGES)
    content = path.read_bytes()
    path.write_bytes(content.replace(b"startxref\n", b"startxref\n9"))

    assert len(read_pdf(path, ocr=NO_OCR).pages) == 8


@pytest.mark.parametrize(
    "content", [b"%PDF-1.7\n", b"%PDF-1.4\nno objects here\n%%EOF", b"%PDF-1.5\n" + bytes(9000)]
)
def test_what_holds_no_page_is_refused_as_corrupt(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "bad.pdf"
    path.write_bytes(content)

    assert refusal(path).code == "corrupt"


def test_a_file_of_no_bytes_is_refused_as_empty(tmp_path: Path) -> None:
    path = tmp_path / "nothing"
    path.touch()

    assert refusal(path).code == "empty"


def test_pages_with_nothing_on_them_are_refused_as_empty(tmp_path: Path) -> None:
    assert refusal(pdfs.plain(tmp_path / "blank.pdf", [[], []])).code == "empty"


def test_too_many_pages_are_refused_before_they_are_read(tmp_path: Path) -> None:
    path = tmp_path / "endless.pdf"
    with pikepdf.new() as document:
        document.add_blank_page()
        for _ in range(3000):
            document.pages.append(document.pages[0])
        document.save(path)
    began = time.process_time()

    refused = refusal(path, max_pages=2000)

    assert refused.code == "too_large"
    assert "3,001 pages" in refused.reason
    assert time.process_time() - began < 1


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_no_damage_brings_the_reader_down(tmp_path: Path, data: st.DataObject) -> None:
    """Whatever happens to the bytes, the answer is an extraction or a refusal."""
    path = tmp_path / "mutant.pdf"
    content = bytearray(pdfs.form(path).read_bytes())
    for _ in range(data.draw(st.integers(1, 20))):
        at = data.draw(st.integers(0, len(content) - 1))
        content[at : at + data.draw(st.integers(0, 40))] = data.draw(st.binary(max_size=40))
    path.write_bytes(content)

    codes = {"corrupt", "empty", "encrypted", "ocr_unavailable", "too_large"}
    assert outcome(path) in {"read", *codes}
