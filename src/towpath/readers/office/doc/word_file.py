"""Opens a .doc file: its streams, its parts, and its text by character position (MS-DOC 2.5, 2.4.1)."""

from __future__ import annotations

import struct
from array import array
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from typing import Any

from towpath import rejections
from towpath.errors import Rejected
from towpath.readers.common.bounded_read import DEFAULT_MAX_BYTES, require_size
from towpath.readers.office.compound_properties import read_properties

FORMAT_NAME = "Word document (.doc)"

_WORD_97, _WORD_6 = 0xC1, 0x65
_ENCRYPTED, _SECOND_TABLE = 0x0100, 0x0200
_POSITIONS = 0x9A
#: Indexes of parts in the list of positions (MS-DOC 2.5.6 to 2.5.10).
STYLES, FOOTNOTE_REFERENCES, FOOTNOTE_TEXTS, SECTIONS, CHARACTER_RUNS, PARAGRAPH_RUNS = 1, 2, 3, 6, 12, 13
PIECES, ENDNOTE_REFERENCES, ENDNOTE_TEXTS, LISTS, LIST_OVERRIDES = 33, 46, 47, 73, 74
_COMPRESSED = 1 << 30
#: Code pages of languages in files of Word 6 and 95, whose text has one byte per character.
_CODE_PAGES = {0x19: "cp1251", 0x22: "cp1251", 0x02: "cp1251", 0x05: "cp1250", 0x0E: "cp1250", 0x15: "cp1250",
               0x1B: "cp1250", 0x24: "cp1250", 0x18: "cp1250", 0x1A: "cp1250", 0x08: "cp1253", 0x1F: "cp1254",
               0x0D: "cp1255", 0x01: "cp1256"}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Piece:
    """Characters from ``start`` to ``end`` are at ``offset`` of the stream, ``width`` bytes each."""

    start: int
    end: int
    offset: int
    width: int


@dataclass(frozen=True)
class WordFile:
    """The parts of a file. Character positions count UTF-16 units; positions of a stream count bytes."""

    document: bytes
    table: bytes
    data: bytes
    pieces: tuple[Piece, ...]
    encoding: str
    metadata: dict[str, str]
    #: Only the text of files before Word 97 is read.
    has_formats: bool

    def part(self, index: int) -> bytes:
        """A part of the table stream; empty if the file has none."""
        if not self.has_formats:
            return b""
        start = _POSITIONS + 8 * index
        if start + 8 > len(self.document):
            return b""
        offset, size = struct.unpack_from("<II", self.document, start)
        return self.table[offset : offset + size]

    def after(self, index: int) -> bytes:
        """What follows a part in the table stream."""
        if not self.part(index):
            return b""
        offset, size = struct.unpack_from("<II", self.document, _POSITIONS + 8 * index)
        return self.table[offset + size :]

    @cached_property
    def lengths(self) -> tuple[int, ...]:
        """Characters of the main text, footnotes, headers, macros, comments, endnotes and text boxes."""
        if not self.has_formats:
            return (self.pieces[-1].end if self.pieces else 0, 0, 0, 0, 0, 0, 0)
        return tuple(max(0, count) for count in struct.unpack_from("<7i", self.document, 0x4C))

    @cached_property
    def text(self) -> str:
        """All characters; those outside the basic plane are two surrogates, so that positions stay the same."""
        parts: list[str] = []
        for piece in self.pieces:
            content = self.document[piece.offset : piece.offset + (piece.end - piece.start) * piece.width]
            if piece.width == 1:
                text = content.decode(self.encoding, "replace")
            else:
                text = "".join(map(chr, array("H", content[: len(content) // 2 * 2])))
            parts.append(text.ljust(piece.end - piece.start, " "))
        return "".join(parts)

    @cached_property
    def _starts(self) -> list[int]:
        return [piece.start for piece in self.pieces]

    def stream_spans(self, start: int, end: int) -> Iterator[tuple[int, int, Piece]]:
        """The parts of a span of characters that are contiguous in the stream."""
        index = max(0, bisect_right(self._starts, start) - 1)
        while index < len(self.pieces) and self.pieces[index].start < end:
            piece = self.pieces[index]
            first, last = max(start, piece.start), min(end, piece.end)
            if first < last:
                yield first, last, piece
            index += 1


def open_word_file(path: Path) -> WordFile:
    """Open a file; raises Rejected if it is encrypted or damaged."""
    require_size(path, FORMAT_NAME, DEFAULT_MAX_BYTES)
    try:
        return _open(path)
    except Rejected:
        raise
    except Exception as error:  # olefile and the format's own positions can fail in many ways
        raise rejections.corrupt(FORMAT_NAME) from error


def _open(path: Path) -> WordFile:
    olefile: Any = import_module("olefile")
    with olefile.OleFileIO(str(path)) as container:

        def stream(name: str) -> bytes:
            return bytes(container.openstream(name).read()) if container.exists(name) else b""

        document = stream("WordDocument")
        version, flags = struct.unpack_from("<H", document, 2)[0], struct.unpack_from("<H", document, 10)[0]
        if flags & _ENCRYPTED:
            raise rejections.encrypted(FORMAT_NAME)
        metadata = read_properties(container)
        if version < _WORD_97:
            return _open_old(document, version, metadata)
        table = stream("1Table" if flags & _SECOND_TABLE else "0Table")
        file = WordFile(document, table, stream("Data"), (), "cp1252", metadata, has_formats=True)
        pieces = tuple(_read_pieces(file.part(PIECES), len(document)))
        return WordFile(document, table, file.data, pieces, "cp1252", metadata, has_formats=True)


def _open_old(document: bytes, version: int, metadata: dict[str, str]) -> WordFile:
    if version < _WORD_6:
        raise rejections.unsupported("A Word file from before Word 6", "Save it as .docx and upload that.")
    start, end = struct.unpack_from("<II", document, 0x18)
    length = min(struct.unpack_from("<I", document, 0x34)[0], end - start, len(document) - start)
    encoding = _CODE_PAGES.get(struct.unpack_from("<H", document, 6)[0] & 0x3FF, "cp1252")
    pieces = (Piece(0, length, start, 1),) if length > 0 else ()
    return WordFile(document, b"", b"", pieces, encoding, metadata, has_formats=False)


def _read_pieces(content: bytes, max_length: int) -> Iterator[Piece]:
    """The piece table, after property lists that do not matter here. Each character has a byte of its own."""
    offset = 0
    while offset + 3 <= len(content) and content[offset] == 1:
        offset += 3 + int.from_bytes(content[offset + 1 : offset + 3], "little")
    if offset + 5 > len(content) or content[offset] != 2:
        raise ValueError("no piece table")
    body = content[offset + 5 :][: int.from_bytes(content[offset + 1 : offset + 5], "little")]
    count = (len(body) - 4) // 12
    positions = struct.unpack_from(f"<{count + 1}I", body)
    for index, (start, end) in enumerate(pairwise(positions)):
        stream_offset = struct.unpack_from("<I", body, 4 * (count + 1) + 8 * index + 2)[0]
        if end < start or end > max_length:
            raise ValueError("impossible positions of the text")
        if stream_offset & _COMPRESSED:
            yield Piece(start, end, (stream_offset & ~_COMPRESSED) // 2, 1)
        else:
            yield Piece(start, end, stream_offset, 2)
