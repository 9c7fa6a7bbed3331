"""Builds small Word and PowerPoint files of the format before 2007 (.doc, .ppt)."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass

from tests.support.compound_files import compound_file

_TEXT, _PARAGRAPHS, _CHARACTERS = 0x400, 0xA00, 0xC00
BULLET, NUMBER = 23, 0


def sprm(code: int, operand: bytes) -> bytes:
    return struct.pack("<H", code) + operand


IN_TABLE = sprm(0x2416, b"\1")
ROW_END = IN_TABLE + sprm(0x2417, b"\1")
HIDDEN, BOLD = sprm(0x083C, b"\1"), sprm(0x0835, b"\1")


def list_item(number: int) -> bytes:
    """The properties of an item of the list with this number, from 1."""
    return sprm(0x460B, struct.pack("<H", number)) + sprm(0x260A, b"\0")


@dataclass(frozen=True)
class Paragraph:
    """The text ends with its mark: a carriage return, or \\x07 in a table. ``style``: 0 normal, 1 to 3 headings."""

    text: str
    properties: bytes = b""
    style: int = 0
    characters: bytes = b""


def word_document(paragraphs: Sequence[Paragraph], *, lists: Sequence[int] = (), notes: str = "") -> bytes:
    """A Word file. ``lists`` are the kinds of its lists; ``notes`` is one footnote, referred to by \\x02."""
    text = "".join(paragraph.text for paragraph in paragraphs)
    main = len(text)
    spans = [*paragraphs, Paragraph(notes)] if notes else list(paragraphs)
    content = (text + notes).encode("utf-16-le", "surrogatepass")
    assert len(content) <= _PARAGRAPHS - _TEXT
    table = bytearray()
    document = bytearray(_CHARACTERS + 512)
    struct.pack_into("<HH6xH", document, 0, 0xA5EC, 0xC1, 0)
    struct.pack_into("<2i", document, 0x4C, main, len(notes))

    def add(index: int, part: bytes, after: bytes = b"") -> None:
        struct.pack_into("<II", document, 0x9A + 8 * index, len(table), len(part))
        table.extend(part + after)

    document[_TEXT : _TEXT + len(content)] = content
    ends = [_TEXT]
    for paragraph in spans:
        ends.append(ends[-1] + 2 * len(paragraph.text))
    document[_PARAGRAPHS : _PARAGRAPHS + 512] = _page(
        ends, [struct.pack("<H", item.style) + item.properties for item in spans], 13
    )
    document[_CHARACTERS : _CHARACTERS + 512] = _page(ends, [item.characters for item in spans], 1)
    add(1, _styles())
    add(12, struct.pack("<III", _TEXT, ends[-1], _CHARACTERS // 512))
    add(13, struct.pack("<III", _TEXT, ends[-1], _PARAGRAPHS // 512))
    pieces = struct.pack("<IIHIH", 0, main + len(notes), 0, _TEXT, 0)
    add(33, b"\2" + struct.pack("<I", len(pieces)) + pieces)
    if notes:
        add(2, struct.pack("<IIH", text.index("\2"), main, 1))
        add(3, struct.pack("<III", 0, len(notes), len(notes) + 1))
    if lists:
        entries = b"".join(
            struct.pack("<IIhhhhhhhhhBB", 7 + n, 0, *[0xFFF] * 9, 1, 0) for n in range(len(lists))
        )
        add(73, struct.pack("<H", len(lists)) + entries, b"".join(map(_level, lists)))
        overrides = b"".join(struct.pack("<I12x", 7 + n) for n in range(len(lists)))
        add(74, struct.pack("<I", len(lists)) + overrides + b"\xff\xff\xff\xff" * len(lists))
    return compound_file({"WordDocument": bytes(document), "0Table": bytes(table)})


def _page(ends: Sequence[int], properties: Sequence[bytes], step: int) -> bytes:
    """A page of formatted runs: positions, places of the properties, the properties from the end."""
    page = bytearray(512)
    struct.pack_into(f"<{len(ends)}I", page, 0, *ends)
    end = 510
    for number, content in enumerate(properties):
        if step == 1:
            packed = bytes([len(content)]) + content
        else:
            even = content + b"\0" * (1 - len(content) % 2)
            packed = bytes([(len(even) + 1) // 2]) + even
        end = (end - len(packed)) // 2 * 2
        page[end : end + len(packed)] = packed
        page[4 * len(ends) + step * number] = end // 2 if content else 0
    assert end > 4 * len(ends) + step * len(properties)
    page[511] = len(properties)
    return bytes(page)


def _styles() -> bytes:
    parts = [struct.pack("<HHH14x", 18, 4, 10)]
    for built_in, name in ((0, "Normal"), (1, "heading 1"), (2, "heading 2"), (3, "heading 3")):
        base = 0xFFF if built_in == 0 else 0
        definition = struct.pack("<HHHHH", built_in, 1 | base << 4, 1, 0, 0)
        definition += struct.pack("<H", len(name)) + (name + "\0").encode("utf-16-le")
        definition += b"\0" * (len(definition) % 2) + struct.pack("<HH", 2, built_in)
        parts.append(struct.pack("<H", len(definition)) + definition)
    return b"".join(parts)


def _level(kind: int) -> bytes:
    text = "\0." if kind == NUMBER else "•"
    level = struct.pack("<iBB9sBIIBBBB", 1, kind, 0, bytes(9), 0, 0, 0, 0, 0, 0, 0)
    return level + struct.pack("<H", len(text)) + text.encode("utf-16-le")


@dataclass(frozen=True)
class SlideText:
    """One text of a slide. ``kind``: 0 title, 1 body, 4 other; paragraphs with their depths."""

    kind: int
    paragraphs: Sequence[tuple[str, int]]


def presentation_file(slides: Sequence[Sequence[SlideText]], notes: dict[int, str] | None = None) -> bytes:
    """A PowerPoint file; ``notes`` by the number of the slide, from 1."""
    stream = bytearray()
    places: list[int] = []

    def add(record: bytes) -> None:
        places.append(len(stream))
        stream.extend(record)

    for texts in slides:
        shapes = b"".join(_container(0xF004, _container(0xF00D, _text(text))) for text in texts)
        add(_container(1006, _atom(1007, bytes(24)) + _container(1036, _container(0xF003, shapes))))
    noted = sorted(notes or {})
    for number in noted:
        box = _container(0xF004, _container(0xF00D, _text(SlideText(2, [((notes or {})[number], 0)]))))
        add(_container(1008, _atom(1009, struct.pack("<II", 255 + number, 0)) + _container(1036, box)))
    listed = b"".join(
        _atom(1011, struct.pack("<5I", index + 1, 0, 0, 256 + index, 0)) for index in range(len(slides))
    )
    listed_notes = b"".join(
        _atom(1011, struct.pack("<5I", len(slides) + index + 1, 0, 0, 900 + index, 0))
        for index in range(len(noted))
    )
    add(_container(1000, _container(4080, listed) + _container(4080, listed_notes, instance=2)))
    directory = len(stream)
    stream.extend(_atom(6002, struct.pack(f"<I{len(places)}I", 1 | len(places) << 20, *places)))
    edit = len(stream)
    stream.extend(_atom(4085, struct.pack("<IIIII8x", 0, 0, 0, directory, len(places))))
    user = _atom(4086, struct.pack("<III", 20, 0xE391C05F, edit))
    return compound_file({"PowerPoint Document": bytes(stream), "Current User": user})


def _text(text: SlideText) -> bytes:
    words = "\r".join(words for words, _ in text.paragraphs)
    styles = b"".join(struct.pack("<IHI", len(words) + 1, depth, 0) for words, depth in text.paragraphs)
    return (
        _atom(3999, struct.pack("<I", text.kind))
        + _atom(4000, words.encode("utf-16-le"))
        + _atom(4001, styles)
    )


def _atom(kind: int, content: bytes) -> bytes:
    return struct.pack("<HHI", 0, kind, len(content)) + content


def _container(kind: int, content: bytes, *, instance: int = 0) -> bytes:
    return struct.pack("<HHI", instance << 4 | 0xF, kind, len(content)) + content
