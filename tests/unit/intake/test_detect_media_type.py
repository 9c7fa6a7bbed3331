"""Detection decides by content; the name decides only where content is ambiguous."""

from __future__ import annotations

import io
import struct
import tracemalloc
import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support import pdfs
from tests.support.compound_files import compound_file
from towpath.intake.detect_media_type import (
    HEAD_BYTES,
    MAX_DIRECTORY_BYTES,
    DetectedType,
    detect,
    detect_file,
)
from towpath.intake.read_limited_file import ReadBudgetFile, TooMuchReadError

OFFICE = "application/vnd.openxmlformats-officedocument"


def detected(content: bytes, name: str = "upload") -> DetectedType:
    def open_zip() -> zipfile.ZipFile:
        return zipfile.ZipFile(io.BytesIO(content))

    return detect(content[:HEAD_BYTES], content[-4096:], name, open_zip)


def archive(entries: dict[str, str | bytes], *, streamed: bool = False) -> bytes:
    """A zip archive. ``streamed``: the sizes follow the data, as in archives written to a pipe."""
    content = io.BytesIO()
    target = Unseekable(content) if streamed else content
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, text in entries.items():
            packed.writestr(name, text)
    return content.getvalue()


class Unseekable(io.RawIOBase):
    def __init__(self, target: io.BytesIO) -> None:
        self._target = target

    def write(self, data: object) -> int:
        return self._target.write(bytes(data))  # pyright: ignore[reportArgumentType]  # any buffer

    def writable(self) -> bool:
        return True


def content_types(main: str) -> str:
    return f'<Types><Override PartName="/main.xml" ContentType="application/{main}+xml"/></Types>'


def mp3() -> bytes:
    return (b"\xff\xfb\x90\x00" + bytes(413)) * 3


PDF = b"%PDF-1.7\n1 0 obj\n<<>>\nendobj\n%%EOF"
MAIL = b"From: ada@example.org\r\nTo: bo@example.org\r\nSubject: Locks\r\nMIME-Version: 1.0\r\n\r\nHello"
TYPES = "[Content_Types].xml"
WORD = "vnd.openxmlformats-officedocument.wordprocessingml.document.main"
SLIDES = "vnd.openxmlformats-officedocument.presentationml.presentation.main"
MACROS = "vnd.ms-excel.sheet.macroEnabled.main"
OPEN_DOCUMENT = "application/vnd.oasis.opendocument"


@pytest.mark.parametrize(
    ("content", "media_type"),
    [
        (PDF, "application/pdf"),
        (b"\n\xef\xbb\xbf junk from a mail gateway\r\n" * 20 + PDF, "application/pdf"),
        (b"\x89PNG\r\n\x1a\n" + bytes(20), "image/png"),
        (b"\xff\xd8\xff\xe0" + bytes(20), "image/jpeg"),
        (b"II*\x00" + bytes(20), "image/tiff"),
        (b"MM\x00*" + bytes(20), "image/tiff"),
        (b"RIFF\x00\x00\x00\x00WEBPVP8 ", "image/webp"),
        (b"GIF89a" + bytes(20), "image/gif"),
        (b"BM" + bytes(12) + struct.pack("<I", 40) + bytes(20), "image/bmp"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(512), "application/x-ole-storage"),
        (b"<!DOCTYPE html><html><body>Hi</body></html>", "text/html"),
        (b"\xef\xbb\xbf\n<!-- saved --><html lang='de'><head>", "text/html"),
        (b'<?xml version="1.0"?>\n<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0"><html>', "text/html"),
        (MAIL, "message/rfc822"),
        (b"Just a few words, and a comma or two.\n", "text/plain"),
        ("Каналы и шлюзы".encode("cp1251"), "text/plain"),
        ("Grüße".encode("utf-16"), "text/plain"),
        ("Grüße und mehr Text".encode("utf-16-le"), "text/plain"),
        (b"name,rise,built\nFoxton,23,1814\nBingley,18,1774\n", "text/csv"),
        (b"name;rise;built\nFoxton;23;1814\nBingley;18;1774\n", "text/csv"),
        (b"name\trise\tbuilt\nFoxton\t23\t1814\nBingley\t18\t1774\n", "text/tab-separated-values"),
        (b"# Locks\n\nThere are **many** of them:\n\n- Foxton\n- Bingley\n", "text/markdown"),
    ],
)
def test_documents_are_known_by_their_content(content: bytes, media_type: str) -> None:
    assert detected(content) == DetectedType(media_type, "document")


@pytest.mark.parametrize(
    ("content", "media_type"),
    [
        (b"RIFF\x00\x00\x00\x00WAVEfmt ", "audio/wav"),
        (b"ID3\x04\x00\x00\x00\x00\x00\x00" + mp3(), "audio/mpeg"),
        (mp3(), "audio/mpeg"),
        (b"\x00\x00\x00\x20ftypM4A \x00\x00\x00\x00", "audio/mp4"),
        (b"\x00\x00\x00\x20ftypisom\x00\x00\x02\x00", "video/mp4"),
        (b"\x00\x00\x00\x14ftypqt  \x00\x00\x00\x00", "video/quicktime"),
        (b"\x00\x00\x00\x08wide\x00\x00\x10\x00mdat", "video/quicktime"),
        (b"\x1a\x45\xdf\xa3\x93\x42\x82\x84webm", "video/webm"),
        (b"\x1a\x45\xdf\xa3\x93\x42\x82\x88matroska", "video/x-matroska"),
        (b"OggS\x00\x02" + bytes(22) + b"OpusHead", "audio/ogg"),
        (b"fLaC\x00\x00\x00\x22", "audio/flac"),
        (b"FORM\x00\x00\x00\x00AIFFCOMM", "audio/aiff"),
        (b"RIFF\x00\x00\x00\x00AVI LIST", "video/x-msvideo"),
    ],
)
def test_recordings_are_calls(content: bytes, media_type: str) -> None:
    assert detected(content) == DetectedType(media_type, "call")


@pytest.mark.parametrize("streamed", [False, True])
@pytest.mark.parametrize(
    ("entries", "media_type"),
    [
        ({"mimetype": "application/epub+zip", "OPS/book.opf": "<package/>"}, "application/epub+zip"),
        ({"OPS/book.opf": "<package/>", "META-INF/container.xml": "<container/>"}, "application/epub+zip"),
        ({"app.xml": "x" * 30_000, TYPES: content_types(WORD)}, f"{OFFICE}.wordprocessingml.document"),
        ({TYPES: content_types(SLIDES)}, f"{OFFICE}.presentationml.presentation"),
        ({TYPES: content_types(MACROS)}, f"{OFFICE}.spreadsheetml.sheet"),
        ({"xl/workbook.xml": "<workbook/>"}, f"{OFFICE}.spreadsheetml.sheet"),
        ({"mimetype": f"{OPEN_DOCUMENT}.text"}, f"{OPEN_DOCUMENT}.text"),
        ({"mimetype": f"{OPEN_DOCUMENT}.text-template"}, f"{OPEN_DOCUMENT}.text"),
        ({"a.txt": "x"}, "application/zip"),
    ],
)
def test_archives_are_known_by_what_they_hold(
    entries: dict[str, str | bytes], media_type: str, streamed: bool
) -> None:
    assert detected(archive(entries, streamed=streamed), "upload.zip") == DetectedType(media_type)


@pytest.mark.parametrize(
    ("content", "name", "media_type"),
    [
        (b"<html><body>Not found</body></html>", "invoice.pdf", "text/html"),
        (PDF, "invoice.docx", "application/pdf"),
        (b"<!doctype html><p>x", "notes.md", "text/html"),
        (b"a,b,c\n1,2,3\n4,5,6\n", "numbers.txt", "text/plain"),
        (b"a single column\nand nothing more\n", "list.csv", "text/csv"),
        (b"plain words", "readme.md", "text/markdown"),
        (b"# Locks\n\n- a\n- b\n", "notes.txt", "text/plain"),
        (b"<p>A fragment</p>", "part.html", "text/html"),
        (b"<p>A fragment</p>", "part.txt", "text/plain"),
        (b"Subject: hello\n\nwords", "letter.eml", "message/rfc822"),
        (b"Subject: hello\n\nwords", "letter.txt", "text/plain"),
        (b"\x00\x00\x00\x20ftypisom\x00\x00\x02\x00", "call.m4a", "audio/mp4"),
        (b"{\\rtf1\\ansi Hello}", "letter.doc", "application/rtf"),
        (b"\x00\x00\x00\x18ftypheic\x00\x00\x00\x00", "photo.jpg", "image/heic"),
        (b'{"cells": [], "nbformat": 4}', "upload", "application/x-ipynb+json"),
        (b'{"a": 1}', "a.txt", "application/json"),
        (b"WEBVTT\n\n00:01.000 --> 00:02.000\nhello\n", "talk.txt", "text/vtt"),
        (b"1\n00:00:01,000 --> 00:00:02,000\nhello\n", "upload", "application/x-subrip"),
        (b"\\documentclass{article}\n", "paper.txt", "text/x-tex"),
        (
            b"From ada@canal.example Tue Mar  5 08:00:00 2024\nFrom: a\nTo: b\nSubject: c\n\nx",
            "in",
            "application/mbox",
        ),
        (b"A text that speaks of %PDF-1.4 headers in passing.\n", "howto.txt", "text/plain"),
    ],
)
def test_a_name_decides_only_between_kinds_of_text(content: bytes, name: str, media_type: str) -> None:
    assert detected(content, name).media_type == media_type


@pytest.mark.parametrize(
    ("content", "media_type", "word"),
    [
        (b"", "application/x-empty", "empty"),
        (b"Rar!\x1a\x07\x01\x00", "application/vnd.rar", "RAR"),
        (b"\x00\x00\x00\x18ftypavif\x00\x00\x00\x00", "image/avif", "JPEG"),
        (archive({"mimetype": f"{OPEN_DOCUMENT}.graphics"}), f"{OPEN_DOCUMENT}.graphics", "Save it as PDF"),
        (bytes(range(256)) * 8, "application/octet-stream", "cannot be read"),
    ],
)
def test_an_unsupported_type_has_a_reason(content: bytes, media_type: str, word: str) -> None:
    found = detected(content)

    assert found.media_type == media_type
    assert found.unsupported_reason is not None
    assert word in found.unsupported_reason


def test_detection_reads_only_the_ends_of_a_file(tmp_path: Path) -> None:
    path = pdfs.plain(tmp_path / "upload", [["Hello"]])
    with path.open("ab") as file:
        file.truncate(1 << 40)  # a sparse file of 1 TiB: reading it whole would never end

    assert detect_file(path, "hello.txt").media_type == "application/pdf"


@given(content=st.binary(max_size=600), name=st.text(max_size=20))
def test_any_bytes_get_a_media_type(content: bytes, name: str) -> None:
    found = detected(content, name)

    assert found.media_type.count("/") == 1
    assert found.unsupported_reason != ""


MAGICS = [
    b"PK\x03\x04",
    b"PK\x05\x06",
    b"\xff\xfb",
    b"\xff\xf1",
    b"\xff\xfe",
    b"ID3\x03",
    b"BM",
    b"RIFF",
    b"OggS",
]


@given(magic=st.sampled_from(MAGICS), rest=st.binary(max_size=200))
def test_any_bytes_behind_a_known_beginning_have_an_answer(magic: bytes, rest: bytes) -> None:
    assert detected(magic + rest, "x.pdf").kind in ("document", "call")


class TestHostileFiles:
    """Detection runs in the server process: it reads little of a file, whatever the file says about itself."""

    def test_an_archive_with_a_huge_directory_is_not_opened(self, tmp_path: Path) -> None:
        entry = struct.pack("<4s24xHHH12x", b"PK\x01\x02", 1, 0, 0) + b"x"
        directory = entry * (MAX_DIRECTORY_BYTES // len(entry) + 1)
        # The number of entries says 0, but a reader follows the size of the directory.
        end = struct.pack("<4s8xIIH", b"PK\x05\x06", len(directory), 30, 0)
        path = tmp_path / "a.zip"
        path.write_bytes(b"PK\x03\x04" + bytes(26) + directory + end)
        tracemalloc.start()
        try:
            assert detect_file(path, "a.zip").media_type == "application/zip"
            assert tracemalloc.get_traced_memory()[1] < 4 * MAX_DIRECTORY_BYTES
        finally:
            tracemalloc.stop()

    def test_a_compound_file_with_a_huge_directory_is_not_opened(self, tmp_path: Path) -> None:
        path = tmp_path / "a.doc"
        path.write_bytes(compound_file({"WordDocument": b"x"}))
        assert detect_file(path, "a.doc").media_type == "application/msword"
        with ReadBudgetFile(path, 512) as file, pytest.raises(TooMuchReadError):
            file.read()
        with path.open("r+b") as file:
            file.truncate(64 << 20)
            # Every sector follows the one before it and belongs to the directory.
            sectors = (64 << 20) // 512
            table = b"".join(struct.pack("<I", number + 1) for number in range(sectors))
            file.seek(512)
            file.write(table)
            file.seek(44)
            file.write(struct.pack("<II", 109, 0))
            file.seek(76)
            file.write(b"".join(struct.pack("<I", number) for number in range(109)))
        tracemalloc.start()
        try:
            assert detect_file(path, "a.doc").media_type == "application/x-ole-storage"
            assert tracemalloc.get_traced_memory()[1] < 32 << 20
        finally:
            tracemalloc.stop()

    @pytest.mark.parametrize("kind", ["graphics" * 1000, "x\r\nSet-Cookie: a=b", "<script>"])
    def test_a_type_from_the_file_is_short_and_plain(self, kind: str) -> None:
        content = archive({"mimetype": f"application/vnd.oasis.opendocument.{kind}"})
        assert detected(content).media_type == "application/zip"

    def test_an_entry_in_an_unusual_compression_is_not_unpacked(self, tmp_path: Path) -> None:
        path = tmp_path / "a.epub"
        with zipfile.ZipFile(path, "w", zipfile.ZIP_LZMA) as packed:
            packed.writestr("mimetype", "application/epub+zip")
        assert detect_file(path, "a.epub").media_type == "application/zip"
