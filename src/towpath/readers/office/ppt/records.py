"""Reads the records of a .ppt file: type, length and content; a container holds further records."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import NamedTuple

DOCUMENT, SLIDE, NOTES = 1000, 1006, 1008
NOTES_ATOM, SLIDE_PERSIST, PLACEHOLDER = 1009, 1011, 3011
OUTLINE_REFERENCE, TEXT_HEADER, TEXT_CHARACTERS, TEXT_BYTES, TEXT_STYLES = 3998, 3999, 4000, 4008, 4001
SLIDE_LIST, USER_EDIT, PERSIST_DIRECTORY = 4080, 4085, 6002
GROUP, SHAPE, GROUP_SHAPE, TEXT_BOX = 0xF003, 0xF004, 0xF009, 0xF00D
CHILD_ANCHOR, MORE_PROPERTIES = 0xF00F, 0xF122
_MAX_DEPTH = 40


class Record(NamedTuple):
    kind: int
    instance: int
    is_container: bool
    #: A part of the stream, without a copy: containers are nested.
    content: memoryview


def read_record(stream: memoryview, offset: int) -> Record:
    """The record at this place; raises ValueError if there is none."""
    if offset < 0 or offset + 8 > len(stream):
        raise ValueError("no record at this place")
    head, kind, size = struct.unpack_from("<HHI", stream, offset)
    return Record(kind, head >> 4, head & 0xF == 0xF, stream[offset + 8 : offset + 8 + size])


def children(content: memoryview) -> Iterator[Record]:
    offset = 0
    while offset + 8 <= len(content):
        record = read_record(content, offset)
        yield record
        offset += 8 + len(record.content)


def find_all(content: memoryview, *kinds: int, depth: int = 0) -> Iterator[Record]:
    """Records of these kinds at any depth, in order; not those inside of another one that is found."""
    for record in children(content):
        if record.kind in kinds:
            yield record
        elif record.is_container and depth < _MAX_DEPTH:
            yield from find_all(record.content, *kinds, depth=depth + 1)
