"""Detects the media type of a file by its content. The name decides only between kinds of plain text.

Wrong names are common (a web page saved as .pdf, a .docx named .doc) and would select a reader that
cannot read the file. Detection never raises, whatever the bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal
from zipfile import ZipFile

from towpath.intake.detect_audio_video import is_heif_image, media_type
from towpath.intake.detect_ole import ole_type
from towpath.intake.detect_text import text_type
from towpath.intake.detect_zip import zip_type
from towpath.intake.read_limited_file import ReadBudgetFile
from towpath.plugins import own_readers

Kind = Literal["document", "call"]

HEAD_BYTES = 16 << 10
#: The directory of a zip archive that is read here: about 50,000 entries. Detection runs in the server process.
MAX_DIRECTORY_BYTES = 4 << 20
TAIL_BYTES = 4 << 10

_SAVE_AS_HINT = "Save it as PDF, EPUB, Word, HTML or plain text and upload that."
_IMAGE_SIGNATURES = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"II*\x00", "image/tiff"),
    (b"MM\x00*", "image/tiff"),
    (b"II+\x00", "image/tiff"),
    (b"MM\x00+", "image/tiff"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
)
_HEIC_BRANDS = (b"heic", b"heix", b"heim", b"hevc", b"mif1", b"msf1")
_BITMAP_HEADERS = tuple(size.to_bytes(4, "little") for size in (12, 40, 52, 56, 64, 108, 124))
# Types that cannot be read, listed so that the error can name them.
_UNSUPPORTED_SIGNATURES = (
    (b"Rar!\x1a\x07", "application/vnd.rar", "A RAR archive"),
    (b"7z\xbc\xaf\x27\x1c", "application/x-7z-compressed", "A 7z archive"),
    (b"\x1f\x8b\x08", "application/gzip", "A gzip archive"),
    (b"BZh91AY&SY", "application/x-bzip2", "A bzip2 archive"),
    (b"\xfd7zXZ\x00", "application/x-xz", "An xz archive"),
    (b"\x28\xb5\x2f\xfd", "application/zstd", "A zstd archive"),
    (b"%!PS", "application/postscript", "A PostScript file"),
    (b"SQLite format 3\x00", "application/vnd.sqlite3", "A database file"),
    (b"\x7fELF", "application/x-executable", "A program"),
    (b"\xcf\xfa\xed\xfe", "application/x-executable", "A program"),
    (b"MZ\x90\x00", "application/x-msdownload", "A program"),
    (b"8BPS\x00", "image/vnd.adobe.photoshop", "A Photoshop file"),
)


#: Types that other formats are made of, besides texts.
_GENERIC_TYPES = frozenset({"application/json", "application/xml", "application/yaml", "application/zip"})


@dataclass(frozen=True, slots=True)
class DetectedType:
    """The media type of a file, the pipeline for it, and the reason if no reader supports it."""

    media_type: str
    kind: Kind = "document"
    unsupported_reason: str | None = None


def detect_file(path: Path, name: str) -> DetectedType:
    """Detect the type of a file. ``name`` is the name given by the uploader."""
    with path.open("rb") as file:
        head = file.read(HEAD_BYTES)
        size = file.seek(0, 2)
        file.seek(max(0, size - TAIL_BYTES))
        tail = file.read(TAIL_BYTES)
    detected = detect(head, tail, name, lambda: _open_zip(path), path)
    return _by_own_reader(head, name, detected)


def _by_own_reader(head: bytes, name: str, detected: DetectedType) -> DetectedType:
    """The type that a reader of a package accepts.

    A reader with a signature goes first. One that knows names only is used for files that Towpath cannot read, and for
    texts and archives, of which many formats are made.
    """
    for reader in own_readers():
        by_name_only = not reader.signature
        if by_name_only and detected.unsupported_reason is None and not _is_generic(detected.media_type):
            continue
        if head and reader.accepts(head, name):
            return DetectedType(reader.media_type)
    return detected


def _is_generic(media_type: str) -> bool:
    return media_type.startswith("text/") or media_type in _GENERIC_TYPES


@contextmanager
def _open_zip(path: Path) -> Generator[ZipFile]:
    with ReadBudgetFile(path, MAX_DIRECTORY_BYTES) as file, ZipFile(file) as archive:
        yield archive


def detect(
    head: bytes,
    tail: bytes,
    name: str,
    open_zip: Callable[[], AbstractContextManager[ZipFile]] | None = None,
    path: Path | None = None,
) -> DetectedType:
    """Detect the type from the first and the last few thousand bytes, and for archives from the names inside."""
    if not head:
        return _unsupported("application/x-empty", "The file is empty. Check it and upload it again.")
    if _is_pdf(head, tail):
        return DetectedType("application/pdf")
    if image := _image(head):
        return DetectedType(image)
    if is_heif_image(head):
        if head[8:12] in _HEIC_BRANDS:
            return DetectedType("image/heic")
        return _unsupported(
            "image/avif", "An AVIF or JPEG 2000 picture cannot be read. Save it as JPEG or PNG."
        )
    if media := media_type(head, name):
        return DetectedType(media, "call")
    if head.startswith(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"):
        return DetectedType(ole_type(path))
    if head.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        zip_media_type, reason = zip_type(head, tail, open_zip)
        return DetectedType(zip_media_type, unsupported_reason=reason)
    if head.startswith(b"{\\rtf"):
        return DetectedType("application/rtf")
    for magic, other_type, description in _UNSUPPORTED_SIGNATURES:
        if head.startswith(magic):
            return _unsupported(other_type, f"{description} cannot be read. {_SAVE_AS_HINT}")
    if text := text_type(head, name):
        return DetectedType(text)
    return _unsupported("application/octet-stream", f"A file of this kind cannot be read. {_SAVE_AS_HINT}")


def _unsupported(media_type: str, reason: str) -> DetectedType:
    return DetectedType(media_type, unsupported_reason=reason)


def _is_pdf(head: bytes, tail: bytes) -> bool:
    """The header may follow up to 1 KB of other bytes. In that case a second sign of a PDF is required."""
    offset = head.find(b"%PDF-", 0, 1024 + 5)
    return offset == 0 or (
        offset > 0
        and (b"%%EOF" in tail or b" obj" in head[offset:])
        and b"<html" not in head[:offset].lower()
    )


def _image(head: bytes) -> str | None:
    for magic, image_type in _IMAGE_SIGNATURES:
        if head.startswith(magic):
            return image_type
    if head[:2] == b"BM" and head[14:18] in _BITMAP_HEADERS:
        return "image/bmp"
    return "image/webp" if head[:4] == b"RIFF" and head[8:12] == b"WEBP" else None
