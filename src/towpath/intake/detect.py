"""Tells what a file is by its content; its name has a say only between kinds of plain text.

A wrong name is common (a web page saved as .pdf, a .doc that is a .docx), and believing it would
send the file to a reader that cannot read it. Never raises, whatever the bytes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal
from zipfile import ZipFile

from towpath.intake.detect_media import is_photograph, media_type
from towpath.intake.detect_text import text_type
from towpath.intake.detect_zip import zip_type

Kind = Literal["document", "call"]

HEAD = 16 << 10
TAIL = 4 << 10

_SAVE_AS = "Save it as PDF, EPUB, Word, HTML or plain text and upload that."
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
_BITMAP_HEADERS = tuple(size.to_bytes(4, "little") for size in (12, 40, 52, 56, 64, 108, 124))
# Known so that the refusal can name them.
_OTHERS = (
    (b"Rar!\x1a\x07", "application/vnd.rar", "A RAR archive"),
    (b"7z\xbc\xaf\x27\x1c", "application/x-7z-compressed", "A 7z archive"),
    (b"\x1f\x8b\x08", "application/gzip", "A gzip archive"),
    (b"BZh91AY&SY", "application/x-bzip2", "A bzip2 archive"),
    (b"\xfd7zXZ\x00", "application/x-xz", "An xz archive"),
    (b"\x28\xb5\x2f\xfd", "application/zstd", "A zstd archive"),
    (b"{\\rtf", "application/rtf", "A rich text file (.rtf)"),
    (b"%!PS", "application/postscript", "A PostScript file"),
    (b"SQLite format 3\x00", "application/vnd.sqlite3", "A database file"),
    (b"\x7fELF", "application/x-executable", "A program"),
    (b"\xcf\xfa\xed\xfe", "application/x-executable", "A program"),
    (b"MZ\x90\x00", "application/x-msdownload", "A program"),
    (b"8BPS\x00", "image/vnd.adobe.photoshop", "A Photoshop file"),
)


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
    """The same from the first and the last few thousand bytes."""
    if not head:
        return _unsupported("application/x-empty", "The file is empty. Check it and upload it again.")
    if _is_pdf(head, tail):
        return Detected("application/pdf")
    if image := _image(head):
        return Detected(image)
    if is_photograph(head):
        return _unsupported("image/heic", "A HEIC or AVIF picture cannot be read. Save it as JPEG or PNG.")
    if media := media_type(head, name):
        return Detected(media, "call")
    if head.startswith(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"):
        # Locked Office files and those from before 2007. Their reader finds out which, and refuses them.
        return Detected("application/x-ole-storage")
    if head.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        found, reason = zip_type(head, tail, open_zip)
        return Detected(found, supported=reason is None, reason=reason)
    for magic, found, what in _OTHERS:
        if head.startswith(magic):
            return _unsupported(found, f"{what} cannot be read. {_SAVE_AS}")
    if text := text_type(head, name):
        return Detected(text)
    return _unsupported("application/octet-stream", f"Files of this kind cannot be read. {_SAVE_AS}")


def _unsupported(media_type: str, reason: str) -> Detected:
    return Detected(media_type, supported=False, reason=reason)


def _is_pdf(head: bytes, tail: bytes) -> bool:
    """The header may stand behind up to 1 KB of junk; then something else must speak for a PDF as well."""
    at = head.find(b"%PDF-", 0, 1024 + 5)
    return at == 0 or (
        at > 0 and (b"%%EOF" in tail or b" obj" in head[at:]) and b"<html" not in head[:at].lower()
    )


def _image(head: bytes) -> str | None:
    for magic, found in _IMAGES:
        if head.startswith(magic):
            return found
    if head[:2] == b"BM" and head[14:18] in _BITMAP_HEADERS:
        return "image/bmp"
    return "image/webp" if head[:4] == b"RIFF" and head[8:12] == b"WEBP" else None
