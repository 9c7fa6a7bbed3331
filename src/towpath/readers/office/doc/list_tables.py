"""Reads the lists of a .doc file: kind, pattern and start of each level (MS-DOC 2.9.131, 2.9.150)."""

from __future__ import annotations

import struct

from towpath.readers.office.docx.numbering import Level, Numbering
from towpath.readers.office.docx.styles import MAX_LIST_DEPTH

_KINDS = {0: "decimal", 1: "upperRoman", 2: "lowerRoman", 3: "upperLetter", 4: "lowerLetter", 22: "decimalZero",
          23: "bullet", 255: "none"}  # fmt: skip
_LIST_SIZE, _LEVEL_SIZE, _OVERRIDE_SIZE, _LEVEL_OVERRIDE_SIZE = 28, 28, 16, 8
_HAS_START, _HAS_LEVEL = 0x10, 0x20

Levels = dict[int, Level]


def read_lists(lists: bytes, levels_after: bytes, overrides: bytes) -> Numbering:
    """The lists by the number that paragraphs name. ``levels_after`` follows the definitions in the table stream."""
    definitions = _read_definitions(lists, levels_after)
    numbering = Numbering()
    count = struct.unpack_from("<I", overrides)[0] if len(overrides) >= 4 else 0
    offset = 4 + _OVERRIDE_SIZE * count
    for number in range(1, count + 1):
        start = 4 + _OVERRIDE_SIZE * (number - 1)
        if start + _OVERRIDE_SIZE > len(overrides):
            break
        family = struct.unpack_from("<I", overrides, start)[0]
        levels = dict(definitions.get(family, {}))
        restarts, offset = _read_overrides(overrides, offset, overrides[start + 12], levels)
        if levels:
            numbering.add_list(str(number), str(family), levels, restarts)
    return numbering


def _read_definitions(lists: bytes, levels_after: bytes) -> dict[int, Levels]:
    count = struct.unpack_from("<H", lists)[0] if len(lists) >= 2 else 0
    definitions: dict[int, Levels] = {}
    offset = 0
    for number in range(count):
        start = 2 + _LIST_SIZE * number
        if start + _LIST_SIZE > len(lists):
            break
        is_simple = lists[start + 26] & 1
        levels: Levels = {}
        for depth in range(1 if is_simple else MAX_LIST_DEPTH + 1):
            level, offset = _read_level(levels_after, offset)
            if level is None:
                return definitions
            levels[depth] = level
        definitions[struct.unpack_from("<I", lists, start)[0]] = levels
    return definitions


def _read_level(content: bytes, offset: int) -> tuple[Level | None, int]:
    if offset + _LEVEL_SIZE + 2 > len(content):
        return None, offset
    start, kind = struct.unpack_from("<iB", content, offset)
    text = offset + _LEVEL_SIZE + content[offset + 24] + content[offset + 25]
    if text + 2 > len(content):
        return None, offset
    length = struct.unpack_from("<H", content, text)[0]
    end = text + 2 + 2 * length
    characters = content[text + 2 : end].decode("utf-16-le", "replace")
    pattern = "".join(f"%{ord(c) + 1}" if c < "\t" else c for c in characters)
    return Level(_KINDS.get(kind, "decimal"), pattern, max(0, start)), end


def _read_overrides(content: bytes, offset: int, count: int, levels: Levels) -> tuple[dict[int, int], int]:
    """Changes ``levels``. Returns the levels that begin anew, and the end of the overrides."""
    restarts: dict[int, int] = {}
    offset += 4
    for _ in range(count):
        if offset + _LEVEL_OVERRIDE_SIZE > len(content):
            break
        start, flags = struct.unpack_from("<iB", content, offset)
        depth = min(flags & 0xF, MAX_LIST_DEPTH)
        offset += _LEVEL_OVERRIDE_SIZE
        if flags & _HAS_LEVEL:
            level, offset = _read_level(content, offset)
            if level is None:
                break
            levels[depth] = level
            start = level.start
        if flags & _HAS_START and start >= 0:
            restarts[depth] = start
    return restarts, offset
