"""Tells books and Office files from other zip archives by what the archive says is inside."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable, Iterator
from zipfile import ZipFile

_OFFICE = "application/vnd.openxmlformats-officedocument"
DOCX = f"{_OFFICE}.wordprocessingml.document"
PPTX = f"{_OFFICE}.presentationml.presentation"
XLSX = f"{_OFFICE}.spreadsheetml.sheet"
EPUB = "application/epub+zip"
ZIP = "application/zip"

_CONTENT_TYPES = "[Content_Types].xml"
_LARGEST_ENTRY = 1 << 20
# Opening takes 5 µs an entry; no book or Office file has as many as this.
_MOST_ENTRIES = 20_000
_UNPACK = "Unpack it and upload the files inside."

# The main part's type decides, in this order; macros change its name but not the format.
_MAIN_PARTS = (
    (b"wordprocessingml.document.main", DOCX),
    (b"wordprocessingml.template.main", DOCX),
    (b"ms-word.document.macroenabled.main", DOCX),
    (b"ms-word.template.macroenabledtemplate.main", DOCX),
    (b"presentationml.presentation.main", PPTX),
    (b"presentationml.slideshow.main", PPTX),
    (b"presentationml.template.main", PPTX),
    (b"ms-powerpoint.presentation.macroenabled.main", PPTX),
    (b"ms-powerpoint.slideshow.macroenabled.main", PPTX),
    (b"spreadsheetml.sheet.main", XLSX),
    (b"spreadsheetml.template.main", XLSX),
    (b"ms-excel.sheet.macroenabled.main", XLSX),
)
_MAIN_FILES = (
    ("word/document.xml", DOCX),
    ("ppt/presentation.xml", PPTX),
    ("xl/workbook.xml", XLSX),
    ("META-INF/container.xml", EPUB),
)

Verdict = tuple[str, str | None]


def zip_type(head: bytes, tail: bytes, open_zip: Callable[[], ZipFile] | None) -> Verdict:
    """Media type, and why it cannot be read if it cannot. A broken archive is judged by its beginning."""
    begun = dict(_first_entries(head))
    if found := _judged(begun.get("mimetype"), begun.get(_CONTENT_TYPES), set(begun)):
        return found
    if open_zip is not None and _entry_count(tail) <= _MOST_ENTRIES:
        try:
            with open_zip() as archive:
                names = set(archive.namelist())
                found = _judged(_read(archive, "mimetype"), _read(archive, _CONTENT_TYPES), names)
        except Exception:  # a damaged archive fails in any way it likes
            found = None
    return found or (ZIP, f"A zip archive cannot be read as a document. {_UNPACK}")


def _judged(mimetype: bytes | None, content_types: bytes | None, names: set[str]) -> Verdict | None:
    kind = (mimetype or b"").strip().decode("ascii", "replace")
    if kind == EPUB:
        return EPUB, None
    if kind.startswith("application/vnd.oasis.opendocument"):
        return kind, "An OpenDocument file cannot be read. Save it as .docx, .xlsx, .pptx or PDF."
    if content_types is not None:
        lowered = content_types.lower()
        for mark, media_type in _MAIN_PARTS:
            if mark in lowered:
                return media_type, None
        if b"ms-excel.sheet.binary" in lowered:
            return (
                "application/vnd.ms-excel.sheet.binary",
                "A binary workbook (.xlsb) cannot be read. Save it as .xlsx.",
            )
    return next(((media_type, None) for name, media_type in _MAIN_FILES if name in names), None)


def _read(archive: ZipFile, name: str) -> bytes | None:
    if name not in archive.NameToInfo:
        return None
    with archive.open(name) as entry:
        return entry.read(_LARGEST_ENTRY)


def _entry_count(tail: bytes) -> int:
    at = tail.rfind(b"PK\x05\x06")
    return int.from_bytes(tail[at + 10 : at + 12], "little") if at >= 0 else 0


def _first_entries(head: bytes) -> Iterator[tuple[str, bytes]]:
    """Names and contents of the entries that lie wholly within the head."""
    at = 0
    while head[at : at + 4] == b"PK\x03\x04" and len(head) >= at + 30:
        flags, method, size, name_length, extra = struct.unpack("<2xHH8xI4xHH", head[at + 4 : at + 30])
        start = at + 30 + name_length + extra
        end = start + size
        # Bit 3: the size stands behind the data, and only the directory knows it.
        if flags & 0x09 or end > len(head):
            return
        name = head[at + 30 : at + 30 + name_length].decode("utf-8", "replace")
        content = head[start:end]
        if method == 8:
            try:
                content = zlib.decompressobj(-15).decompress(content, _LARGEST_ENTRY)
            except zlib.error:
                return
        if method in (0, 8):
            yield name, content
        at = end
