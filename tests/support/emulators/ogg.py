"""Minimal OGG Opus support: the duration of a recording, and silent recordings."""

from __future__ import annotations

import struct
from collections.abc import Iterator

_PAGE = struct.Struct("<4sBBqIIIB")
_SILENT_FRAME = b"\xf8\xff\xfe"  # 20 ms of nothing, as libopus writes it
_FRAME_SAMPLES = 960
_PRE_SKIP = 312
_RATE = 48_000


def opus_seconds(recording: bytes) -> float:
    """The length of an OGG Opus recording; ValueError for anything else."""
    pages = list(_pages(recording))
    if not pages or not pages[0][1].startswith(b"OpusHead"):
        raise ValueError("not an OGG Opus recording")
    pre_skip = int.from_bytes(pages[0][1][10:12], "little")
    return max(0, max(granule for granule, _ in pages) - pre_skip) / _RATE


def silence(seconds: float, label: str = "") -> bytes:
    """A valid OGG Opus recording; another label makes another recording of the same length."""
    head = b"OpusHead" + struct.pack("<BBHIhB", 1, 1, _PRE_SKIP, _RATE, 0, 0)
    comment = f"TITLE={label}".encode()
    tags = b"OpusTags" + struct.pack("<I", 7) + b"towpath" + struct.pack("<II", 1, len(comment)) + comment
    frames = max(1, round(seconds * _RATE / _FRAME_SAMPLES))
    written = _page(0, 0x02, 0, [head]) + _page(1, 0, 0, [tags])
    for number, start in enumerate(range(0, frames, 250), 2):
        count = min(250, frames - start)
        last = start + count == frames
        granule = (start + count) * _FRAME_SAMPLES + _PRE_SKIP
        written += _page(number, 0x04 if last else 0, granule, [_SILENT_FRAME] * count)
    return written


def _page(number: int, flags: int, granule: int, packets: list[bytes]) -> bytes:
    header = _PAGE.pack(b"OggS", 0, flags, granule, 1, number, 0, len(packets))
    page = header + bytes(len(packet) for packet in packets) + b"".join(packets)
    return page[:22] + struct.pack("<I", _checksum(page)) + page[26:]


def _pages(recording: bytes) -> Iterator[tuple[int, bytes]]:
    """Granule position and payload of each page."""
    position = 0
    while position + _PAGE.size <= len(recording):
        magic, _, _, granule, _, _, _, segments = _PAGE.unpack_from(recording, position)
        if magic != b"OggS":
            raise ValueError("not an OGG recording")
        begin = position + _PAGE.size + segments
        end = begin + sum(recording[position + _PAGE.size : begin])
        yield granule, recording[begin:end]
        position = end


def _checksum(page: bytes) -> int:
    value = 0
    for byte in page:
        value = ((value << 8) & 0xFFFFFFFF) ^ _TABLE[(value >> 24) ^ byte]
    return value


def _entry(index: int) -> int:
    value = index << 24
    for _ in range(8):
        value = (value << 1) ^ 0x04C11DB7 if value & 0x80000000 else value << 1
    return value & 0xFFFFFFFF


_TABLE = [_entry(index) for index in range(256)]
