"""Single property modifiers (sprms): lists of an operation code of two bytes and its operand (MS-DOC 2.2.5)."""

from __future__ import annotations

from collections.abc import Iterator

STYLE, LIST_DEPTH, LIST, OUTLINE_LEVEL = 0x4600, 0x260A, 0x460B, 0x2640
IN_TABLE, ROW_END, TABLE_DEPTH = 0x2416, 0x2417, 0x6649
INNER_CELL, INNER_ROW_END = 0x244B, 0x244C
PAGE_BREAK_BEFORE, TABLE_DEFINITION, SECTION_BREAK = 0x2407, 0xD608, 0x3009
#: The properties of a long paragraph are in the stream "Data".
LONG_PROPERTIES = (0x6645, 0x6646)
DELETED, BOLD, ITALIC, HIDDEN, SYMBOL = 0x0800, 0x0835, 0x0836, 0x083C, 0x6A09

#: The size of the operand by the three highest bits of the code; 0 stands for a size in the first byte.
_SIZES = (1, 1, 2, 4, 2, 2, 0, 3)
_CHANGED_TABS = 0xC615

Sprm = tuple[int, bytes]


def read_sprms(content: bytes) -> Iterator[Sprm]:
    """The codes with their operands; stops at the first one that is cut off."""
    offset = 0
    while offset + 3 <= len(content):
        code = int.from_bytes(content[offset : offset + 2], "little")
        offset += 2
        size = _SIZES[code >> 13]
        if not size:
            size = content[offset]
            offset += 1
            if code == TABLE_DEFINITION:
                # The size has two bytes and counts one byte too many.
                size = (size | content[offset] << 8) - 1 if offset < len(content) else 0
                offset += 1
            elif code == _CHANGED_TABS and size == 255:
                return
        operand = content[offset : offset + size]
        if len(operand) < size or size < 0:
            return
        offset += size
        yield code, operand


def number(operand: bytes) -> int:
    return int.from_bytes(operand[:4], "little")
