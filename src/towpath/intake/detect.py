"""Tells what a file is by its content; its name only decides between kinds of plain text.

A wrong name is common (a web page saved as .pdf, a .doc that is a .docx), and a wrong guess would
send the file to a reader that cannot read it. Never raises, whatever the bytes.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal
from zipfile import ZipFile

from towpath.intake.containers import media_container, zip_type
from towpath.intake.plaintext import text_type

Kind = Literal["document", "call"]

HEAD = 16 << 10
TAIL = 4 << 10

OLE = "application/x-ole-storage"
UNKNOWN = "application/octet-stream"
EMPTY = "application/x-empty"

_IMAGES = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"II*\x00", "image/tiff"),
    (b"MM\x00*", "image/tiff"),
    (b"II+\x00", "image/tiff"),
    (b"MM\x00+", "image/tiff"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
)
# Recognized so that the refusal can name them.
_OTHERS = (
    (b"Rar!\x1a\x07", "application/vnd.rar", "A RAR archive"),
    (b"7z\xbc\xaf\x27\x1c", "application/x-7z-compressed", "A 7z archive"),
    (b"\x1f\x8b", "application/gzip", "A gzip archive"),
    (b"BZh", "application/x-bzip2", "A bzip2 archive"),
    (b"\xfd7zXZ\x00", "application/x-xz", "An xz archive"),
    (b"\x28\xb5\x2f\xfd", "application/zstd", "A zstd archive"),
    (b"{\\rtf", "application/rtf", "A rich text file (.rtf)"),
    (b"%!PS", "application/postscript", "A PostScript file"),
    (b"SQLite format 3\x00", "application/vnd.sqlite3", "A database file"),
    (b"\x7fELF", "application/x-executable", "A program"),
    (b"MZ", "application/x-msdownload", "A program"),
    (b"\xca\xfe\xba\xbe", "application/x-executable", "A program"),
    (b"\xcf\xfa\xed\xfe", "application/x-executable", "A program"),
    (b"BOOKMOBI", "application/x-mobipocket-ebook", "A Kindle book"),
    (b"8BPS", "image/vnd.adobe.photoshop", "A Photoshop file"),
)
_SAVE_AS = "Save it as PDF, EPUB, Word, HTML or plain text and upload that."


@dataclass(frozen=True, slots=True)
class Detected:
    """What a file is, which pipeline is for it, and why there is no reader for it, if there is none."""

    media_type: str
    kind: Kind = "document"
    supported: bool = True
    reason: str | None = None


def detect_file(path: Path, name: str) -> Detected:
    """What the file at this path is; ``name`` is what its owner calls it."""
    with path.open("rb") as file:
        head = file.read(HEAD)
        size = file.seek(0, 2)
        file.seek(max(0, size - TAIL))
        tail = file.read(TAIL)
    return detect(head, tail, name, lambda: ZipFile(path))


def detect(head: bytes, tail: bytes, name: str, open_zip: Callable[[], ZipFile] | None = None) -> Detected:
    """The same from the first and last few thousand bytes."""
    if not head:
        return Detected(EMPTY, supported=False, reason="The file is empty. Upload it again.")
    if _is_pdf(head):
        return Detected("application/pdf")
    for magic, media_type in _IMAGES:
        if head.startswith(magic):
            return Detected(media_type)
    if head.startswith(b"BM") and len(head) > 26 and head[14:18] in _BITMAP_HEADERS:
        return Detected("image/bmp")
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        return Detected("image/webp")
    if media := media_container(head):
        return Detected(media, "call")
    if head.startswith(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"):
        # Locked Office files and those from before 2007; their reader tells which and refuses.
        return Detected(OLE)
    if head.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return _zip(head, open_zip)
    for magic, media_type, what in _OTHERS:
        if head.startswith(magic) or (magic == b"BOOKMOBI" and head[60:68] == magic):
            return Detected(media_type, supported=False, reason=f"{what} cannot be read. {_SAVE_AS}")
    if found := text_type(head, tail, name):
        return Detected(found)
    return Detected(
        UNKNOWN, supported=False, reason=f"The file is of no kind that can be read here. {_SAVE_AS}"
    )


_BITMAP_HEADERS = tuple(size.to_bytes(4, "little") for size in (12, 40, 52, 56, 64, 108, 124))


def _is_pdf(head: bytes) -> bool:
    """The header may stand behind junk, as mail gateways and old printers leave it, but not within a text."""
    at = head.find(b"%PDF-", 0, 1024 + 5)
    return at == 0 or (at > 0 and head[at + 5 : at + 6].isdigit() and b"<" not in head[:at])


def _zip(head: bytes, open_zip: Callable[[], ZipFile] | None) -> Detected:
    found: tuple[str, str | None] | None = None
    # A broken directory, an odd compression: the first entry must then do.
    with suppress(Exception):
        if open_zip is not None:
            with open_zip() as archive:
                found = zip_type(archive)
    media_type, reason = found or zip_type_of_head(head)
    return Detected(media_type, supported=reason is None, reason=reason)
