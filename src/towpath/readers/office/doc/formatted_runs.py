"""Finds the properties of paragraphs and characters: pages of 512 bytes, found by position (MS-DOC 2.9.33, 2.9.175)."""

from __future__ import annotations

import struct
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass

_PAGE = 512


@dataclass(frozen=True, slots=True)
class Runs:
    """``properties[i]`` belong to the bytes from ``starts[i]`` to ``ends[i]`` of the stream."""

    starts: list[int]
    ends: list[int]
    properties: list[bytes]

    def at(self, position: int) -> bytes:
        index = bisect_right(self.starts, position) - 1
        return self.properties[index] if index >= 0 and position < self.ends[index] else b""

    def between(self, start: int, end: int) -> Iterator[tuple[int, int, bytes]]:
        """The properties of each part of a span; parts without properties have none."""
        index = max(0, bisect_right(self.starts, start) - 1)
        position = start
        while position < end:
            while index < len(self.starts) and self.ends[index] <= position:
                index += 1
            if index >= len(self.starts) or self.starts[index] >= end:
                yield position, end, b""
                return
            if self.starts[index] > position:
                yield position, self.starts[index], b""
                position = self.starts[index]
            stop = min(end, self.ends[index])
            yield position, stop, self.properties[index]
            position = stop


def read_runs(document: bytes, index: bytes, *, paragraphs: bool) -> Runs:
    """All runs in order; pages out of order or beyond the end are left out.

    Properties of paragraphs begin with the number of their style.
    """
    count = max(0, (len(index) - 4) // 8)
    runs: list[tuple[int, int, bytes]] = []
    for (number,) in struct.iter_unpack("<I", index[4 * (count + 1) : 8 * count + 4]):
        start = (number & 0x3FFFFF) * _PAGE
        page = document[start : start + _PAGE]
        if len(page) == _PAGE:
            runs += _page_runs(page, paragraphs=paragraphs)
    runs.sort(key=lambda run: run[0])
    return Runs([run[0] for run in runs], [run[1] for run in runs], [run[2] for run in runs])


def _page_runs(page: bytes, *, paragraphs: bool) -> Iterator[tuple[int, int, bytes]]:
    count = page[-1]
    step = 13 if paragraphs else 1
    places = 4 * (count + 1)
    if places + step * count > _PAGE:
        return
    positions = struct.unpack_from(f"<{count + 1}I", page)
    for number in range(count):
        start, end = positions[number], positions[number + 1]
        if start < end:
            offset = page[places + step * number] * 2
            yield start, end, _properties(page, offset, paragraphs=paragraphs) if offset else b""


def _properties(page: bytes, offset: int, *, paragraphs: bool) -> bytes:
    size = page[offset]
    if not paragraphs:
        return page[offset + 1 : offset + 1 + size]
    if size:
        return page[offset + 1 : offset + 2 * size]
    return page[offset + 2 : offset + 2 + 2 * page[offset + 1]] if offset + 1 < _PAGE else b""
