"""Texts of a .ppt file: their kind, and their paragraphs with depth and bullet (MS-PPT 2.9)."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from towpath.readers.office.ppt import records
from towpath.readers.office.ppt.records import Record

TITLES, NOTES_TEXT = (0, 6), 2
_BODIES = (1, 7, 8)
_MAX_DEPTH = 8
#: The fields of a paragraph's properties by their bits, in the order of the file, with their sizes in bytes.
_FIELDS = ((0xF, 2), (0x80, 2), (0x10, 2), (0x40, 2), (0x20, 4), (0x800, 2), (0x1000, 2), (0x2000, 2), (0x4000, 2),
           (0x100, 2), (0x400, 2), (0x8000, 2), (0x100000, 0), (0x10000, 2), (0xE0000, 2), (0x200000, 2))  # fmt: skip
_HAS_BULLET, _TAB_STOPS = 0x1, 0x100000


@dataclass(frozen=True, slots=True)
class Paragraph:
    text: str
    depth: int
    has_bullet: bool


@dataclass(frozen=True, slots=True)
class Text:
    """``kind``: 0 and 6 are titles, 1, 5, 7 and 8 bodies, 2 notes, 4 others."""

    kind: int
    paragraphs: tuple[Paragraph, ...]

    @property
    def flat(self) -> str:
        return " ".join(paragraph.text.replace("\x0b", " ").strip() for paragraph in self.paragraphs).strip()


def read_texts(content: Iterable[Record]) -> Iterator[Text]:
    """The texts in a list of records; each begins with a header."""
    kind, text, styles = 4, None, b""
    for record in content:
        if record.kind == records.TEXT_HEADER:
            if text is not None:
                yield _text(kind, text, styles)
            kind = struct.unpack_from("<I", record.content)[0] if len(record.content) >= 4 else 4
            text, styles = "", b""
        elif record.kind == records.TEXT_CHARACTERS:
            text = bytes(record.content).decode("utf-16-le", "replace")
        elif record.kind == records.TEXT_BYTES:
            text = bytes(record.content).decode("latin-1")
        elif record.kind == records.TEXT_STYLES:
            styles = bytes(record.content)
    if text is not None:
        yield _text(kind, text, styles)


def _text(kind: int, text: str, styles: bytes) -> Text:
    lines = text.split("\r")
    formats = list(_paragraph_formats(styles, len(text) + 1))
    paragraphs: list[Paragraph] = []
    position = run = 0
    for line in lines:
        while run + 1 < len(formats) and position >= formats[run][0]:
            run += 1
        _, depth, bullet = formats[run] if formats else (0, 0, None)
        has_bullet = kind in _BODIES if bullet is None else bullet
        if line.strip("\x0b \t"):
            paragraphs.append(Paragraph(line, min(depth, _MAX_DEPTH), has_bullet))
        position += len(line) + 1
    return Text(kind, tuple(paragraphs))


def _paragraph_formats(content: bytes, length: int) -> Iterator[tuple[int, int, bool | None]]:
    """The end of each run of paragraphs with its depth, and whether it has bullets, if that is given."""
    offset = position = 0
    while position < length and offset + 10 <= len(content):
        count, depth, mask = struct.unpack_from("<IHI", content, offset)
        offset += 10
        bullet: bool | None = None
        for bits, size in _FIELDS:
            if not mask & bits:
                continue
            if bits == _TAB_STOPS:
                size = 2 + 4 * int.from_bytes(content[offset : offset + 2], "little")
            if bits == 0xF and mask & _HAS_BULLET:
                bullet = bool(content[offset] & 1) if offset < len(content) else None
            offset += size
        position += count
        yield position, depth, bullet
