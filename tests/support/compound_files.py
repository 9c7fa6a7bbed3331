"""Writes compound files (OLE), the container of Outlook messages, from a tree of named streams."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from itertools import pairwise

_END, _FREE, _FAT = 0xFFFFFFFE, 0xFFFFFFFF, 0xFFFFFFFD
_NONE = 0xFFFFFFFF

Tree = Mapping[str, "bytes | Tree"]


def compound_file(tree: Tree) -> bytes:
    """The bytes of a compound file. All streams are in the mini stream, so each must be shorter than 4,096 bytes."""
    entries: list[bytes] = []
    mini = bytearray()
    mini_fat: list[int] = []

    def add(name: str, content: bytes | Tree, kind: int) -> int:
        index = len(entries)
        entries.append(b"")
        child, start, size = _NONE, _END, 0
        if isinstance(content, bytes):
            size = len(content)
            if content:
                start = len(mini_fat)
                sectors = -(-size // 64)
                mini_fat.extend([*range(start + 1, start + sectors), _END])
                mini.extend(content.ljust(sectors * 64, b"\0"))
        else:
            child = add_siblings(content)
        entries[index] = _entry(name, kind, child, start, size)
        return index

    def add_siblings(nodes: Tree) -> int:
        """Add the entries of a storage as a chain of right siblings, in the order of their names."""
        ordered = sorted(nodes, key=lambda name: (len(name), name.upper()))
        indexes = [add(name, nodes[name], 2 if isinstance(nodes[name], bytes) else 1) for name in ordered]
        for index, right in pairwise(indexes):
            entries[index] = entries[index][:72] + struct.pack("<I", right) + entries[index][76:]
        return indexes[0] if indexes else _NONE

    add("Root Entry", tree, 5)
    directory = b"".join(entries).ljust(-(-len(entries) * 128 // 512) * 512, b"\0")
    mini_fat_bytes = struct.pack(f"<{len(mini_fat)}I", *mini_fat)
    mini_fat_bytes += struct.pack("<I", _FREE) * (-len(mini_fat) % 128)
    parts = [directory, mini_fat_bytes, bytes(mini).ljust(-(-len(mini) // 512) * 512, b"\0")]
    starts, fat = list[int](), [_FAT]
    for part in parts:
        sectors = len(part) // 512
        starts.append(len(fat))
        fat += [*range(len(fat) + 1, len(fat) + sectors), _END]
    assert len(fat) <= 128
    root = entries[0][:116] + struct.pack("<IQ", starts[2], len(mini))
    parts[0] = root + directory[128:]
    header = struct.pack("<8s16xHHHHH6xIIIIIIIIII", bytes.fromhex("d0cf11e0a1b11ae1"), 0x3E, 3, 0xFFFE, 9, 6,
                         0, 1, starts[0], 0, 4096, starts[1], len(mini_fat_bytes) // 512, _END, 0, 0)  # fmt: skip
    header += struct.pack("<I", _FREE) * 108
    return header + struct.pack("<128I", *fat, *[_FREE] * (128 - len(fat))) + b"".join(parts)


def _entry(name: str, kind: int, child: int, start: int, size: int) -> bytes:
    encoded = (name + "\0").encode("utf-16-le")
    return struct.pack(
        "<64sHBBIII16xI16xIQ", encoded, len(encoded), kind, 1, _NONE, _NONE, child, 0, start, size
    )


def outlook_message(
    subject: str, text: str, attachments: Mapping[str, bytes], attached: Mapping[str, str] | None = None
) -> bytes:
    """An Outlook message (.msg) with plain text, attached files, and attached messages: subject to text."""
    count = len(attachments) + len(attached or {})
    header = bytes(8) + struct.pack("<IIII8x", 0, count, 0, count)
    tree = _object(
        header, {0x0037001F: subject, 0x1000001F: text, 0x0C1A001F: "Ada Reed", 0x0042001F: "Ada Reed"}, b""
    )
    for number, (name, content) in enumerate(attachments.items()):
        by_value = struct.pack("<IIQ", 0x37050003, 6, 1)
        tree[f"__attach_version1.0_#{number:08X}"] = _object(
            bytes(8), {0x37010102: content, 0x3707001F: name}, by_value
        )
    for number, (inner_subject, inner_text) in enumerate((attached or {}).items(), start=len(attachments)):
        embedded = struct.pack("<IIQ", 0x37050003, 6, 5)
        storage = _object(bytes(8), {}, embedded)
        storage["__substg1.0_3701000D"] = _object(
            bytes(24), {0x0037001F: inner_subject, 0x1000001F: inner_text, 0x0C1A001F: "Ben Ash"}, b""
        )
        tree[f"__attach_version1.0_#{number:08X}"] = storage
    return compound_file(tree)


def _object(header: bytes, values: Mapping[int, str | bytes], fixed: bytes) -> dict[str, bytes | Tree]:
    """The streams of one object: the list of its properties, and one stream for each text or binary value."""
    streams: dict[str, bytes | Tree] = {}
    listed = fixed
    for tag, value in values.items():
        content = value.encode("utf-16-le") if isinstance(value, str) else value
        streams[f"__substg1.0_{tag:08X}"] = content
        listed += struct.pack("<IIII", tag, 6, len(content) + 2 * isinstance(value, str), 0)
    streams["__properties_version1.0"] = header + listed
    return streams
