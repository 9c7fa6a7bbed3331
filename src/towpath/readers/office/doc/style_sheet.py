"""Reads the styles of a .doc file: headings, quotes and list items, with what they inherit (MS-DOC 2.9.271)."""

from __future__ import annotations

import struct
from dataclasses import dataclass, replace

from towpath.readers.office.doc import sprms

_BODY_TEXT = 9
_TITLE = 62
_MAX_INHERITANCE = 20
_NO_STYLE = 0xFFF
_PARAGRAPH_STYLE = 1


@dataclass(frozen=True, slots=True)
class Style:
    """``level`` from 1, None for body text; ``list_number`` of 0 means no list."""

    level: int | None = None
    list_number: int | None = None
    list_depth: int | None = None
    is_quote: bool = False


@dataclass(frozen=True, slots=True)
class _Declared:
    style: Style
    base: int


def read_styles(content: bytes) -> list[Style]:
    """The styles by their number."""
    if len(content) < 20:
        return []
    header_size, count, base_size = struct.unpack_from("<HHH", content)
    offset = 2 + header_size
    declared: list[_Declared] = []
    while len(declared) < count and offset + 2 <= len(content):
        size = struct.unpack_from("<H", content, offset)[0]
        definition = content[offset + 2 : offset + 2 + size]
        offset += 2 + size + size % 2
        declared.append(_read_style(definition, base_size))
    return [_resolve(number, declared) for number in range(len(declared))]


def _resolve(number: int, declared: list[_Declared]) -> Style:
    style = Style()
    for _ in range(_MAX_INHERITANCE):
        if not number < len(declared):
            break
        other = declared[number].style
        style = Style(
            other.level if style.level is None else style.level,
            other.list_number if style.list_number is None else style.list_number,
            other.list_depth if style.list_depth is None else style.list_depth,
            style.is_quote or other.is_quote,
        )
        number = declared[number].base
    return replace(style, level=None) if style.level == _BODY_TEXT + 1 else style


def _read_style(definition: bytes, base_size: int) -> _Declared:
    if len(definition) < base_size + 2 or base_size < 10:
        return _Declared(Style(), _NO_STYLE)
    built_in, kind = (number & 0xFFF for number in struct.unpack_from("<HH", definition))
    base = struct.unpack_from("<H", definition, 2)[0] >> 4
    if kind & 0xF != _PARAGRAPH_STYLE:
        return _Declared(Style(), base)
    name_length = struct.unpack_from("<H", definition, base_size)[0]
    offset = base_size + 2 + 2 * name_length + 2
    name = definition[base_size + 2 : offset - 2].decode("utf-16-le", "replace").casefold()
    style = Style(is_quote="quote" in name.split(",")[0])
    if 1 <= built_in <= _BODY_TEXT:
        style = replace(style, level=built_in)
    elif built_in == _TITLE:
        style = replace(style, level=1)
    offset += offset % 2
    if offset + 4 <= len(definition):
        size = struct.unpack_from("<H", definition, offset)[0]
        style = with_properties(style, definition[offset + 4 : offset + 2 + size])
    return _Declared(style, base)


def with_properties(style: Style, content: bytes) -> Style:
    """The style as changed by the properties of a paragraph or of a style based on it."""
    for code, operand in sprms.read_sprms(content):
        if code == sprms.OUTLINE_LEVEL:
            style = replace(style, level=min(operand[0], _BODY_TEXT) + 1)
        elif code == sprms.LIST:
            style = replace(style, list_number=sprms.number(operand))
        elif code == sprms.LIST_DEPTH:
            style = replace(style, list_depth=operand[0])
    return style
