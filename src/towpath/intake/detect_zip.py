"""Detects EPUB and Office files among zip archives by their content."""

from __future__ import annotations

import re
import struct
import zlib
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile

_OFFICE = "application/vnd.openxmlformats-officedocument"
DOCX = f"{_OFFICE}.wordprocessingml.document"
PPTX = f"{_OFFICE}.presentationml.presentation"
XLSX = f"{_OFFICE}.spreadsheetml.sheet"
EPUB = "application/epub+zip"
ZIP = "application/zip"

_OPEN_DOCUMENT = "application/vnd.oasis.opendocument"
# Other kinds, such as drawings. The text is from the file, so it must be short and plain.
_OPEN_DOCUMENT_KIND = re.compile(re.escape(_OPEN_DOCUMENT) + r"\.[a-z-]{1,40}")
_CONTENT_TYPES = "[Content_Types].xml"
_MAX_ENTRY_BYTES = 1 << 20
# Opening an archive takes 5 µs per entry. No EPUB or Office file has this many entries.
_MAX_ENTRIES = 20_000

# Content types of the main part, in order of precedence. Macros change the type but not the format.
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

ZipType = tuple[str, str | None]
OpenZip = Callable[[], AbstractContextManager[ZipFile]]


def zip_type(head: bytes, tail: bytes, open_zip: OpenZip | None) -> ZipType:
    """The media type, and the reason if it is unsupported. A damaged archive is detected by its first entries."""
    first_entries = dict(_first_entries(head))
    if classified := _classify(
        first_entries.get("mimetype"), first_entries.get(_CONTENT_TYPES), set(first_entries)
    ):
        return classified
    if open_zip is not None and _entry_count(tail) <= _MAX_ENTRIES:
        try:
            with open_zip() as archive:
                names = set(archive.namelist())
                classified = _classify(_read(archive, "mimetype"), _read(archive, _CONTENT_TYPES), names)
        except Exception:  # a damaged archive can raise anything
            classified = None
    return classified or (ZIP, None)


def _classify(mimetype: bytes | None, content_types: bytes | None, names: set[str]) -> ZipType | None:
    kind = (mimetype or b"").strip().decode("ascii", "replace")
    if kind == EPUB:
        return EPUB, None
    if kind.startswith(_OPEN_DOCUMENT):
        # Templates have the format of their documents.
        base = kind.removesuffix("-template")
        supported = base in (f"{_OPEN_DOCUMENT}.{name}" for name in ("text", "spreadsheet", "presentation"))
        if not supported and not _OPEN_DOCUMENT_KIND.fullmatch(kind):
            return None
        return base, None if supported else f"A file of the type {kind} cannot be read. Save it as PDF."
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
    info = archive.NameToInfo.get(name)
    if info is None or info.compress_type not in (ZIP_STORED, ZIP_DEFLATED):
        return None
    with archive.open(name) as entry:
        return entry.read(_MAX_ENTRY_BYTES)


def _entry_count(tail: bytes) -> int:
    offset = tail.rfind(b"PK\x05\x06")
    return int.from_bytes(tail[offset + 10 : offset + 12], "little") if offset >= 0 else 0


def _first_entries(head: bytes) -> Iterator[tuple[str, bytes]]:
    """Yield names and contents of the entries that are completely inside the first bytes."""
    offset = 0
    while head[offset : offset + 4] == b"PK\x03\x04" and len(head) >= offset + 30:
        flags, method, size, name_length, extra = struct.unpack(
            "<2xHH8xI4xHH", head[offset + 4 : offset + 30]
        )
        start = offset + 30 + name_length + extra
        end = start + size
        # Bit 3: the size follows the data and is known only from the directory.
        if flags & 0x09 or end > len(head):
            return
        name = head[offset + 30 : offset + 30 + name_length].decode("utf-8", "replace")
        content = head[start:end]
        if method == 8:
            try:
                content = zlib.decompressobj(-15).decompress(content, _MAX_ENTRY_BYTES)
            except zlib.error:
                return
        if method in (0, 8):
            yield name, content
        offset = end
