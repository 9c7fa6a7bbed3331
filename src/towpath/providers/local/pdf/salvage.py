"""Rebuilds a PDF from the objects that can still be found in it, when its index and trailer are gone.

The commonest damage is an upload that broke off: the pages are there, but what names them stood at
the end. qpdf gives up then; this looks for the pages themselves and writes a new index for them.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator
from pathlib import Path

# Reading it whole is the price of searching it; larger files are refused as damaged.
_LARGEST = 200_000_000
_LARGEST_INFLATED = 50_000_000

_OBJECT = re.compile(rb"(?<![\d.])(\d{1,8})[ \t\r\n]+\d{1,5}[ \t\r\n]+obj\b")
_STREAM = re.compile(rb">>[ \t\r\n]*stream\r?\n")
_PAGE = re.compile(rb"/Type\s*/Page(?![A-Za-z])")
_PAGE_TREE = re.compile(rb"/Type\s*/Pages(?![A-Za-z])")
_OBJECT_STREAM = re.compile(rb"/Type\s*/ObjStm(?![A-Za-z])")
_INDEX_STREAM = re.compile(rb"/Type\s*/XRef(?![A-Za-z])")
_ENCRYPTED = re.compile(rb"/Encrypt\s+\d+\s+\d+\s+R|/Encrypt\s*<<")
_KIDS = re.compile(rb"/Kids\s*\[([^\]]*)\]")
_REFERENCE = re.compile(rb"(\d+)\s+\d+\s+R")
_PARENT = re.compile(rb"/Parent\s+(\d+)\s+\d+\s+R")

Objects = dict[int, bytes]


def salvage(path: Path, copy: Path) -> bool:
    """Write what can be found as a new file; False when there is no page among it."""
    if path.stat().st_size > _LARGEST:
        return False
    data = path.read_bytes()
    if _ENCRYPTED.search(data):
        return False
    objects = _objects(data)
    for number in [number for number, body in objects.items() if _OBJECT_STREAM.search(_dictionary(body))]:
        for inner, body in _unpacked(objects.pop(number)):
            objects[inner] = body
    pages = _pages(objects)
    if pages:
        copy.write_bytes(_written(objects, pages))
    return bool(pages)


def _objects(data: bytes) -> Objects:
    found: Objects = {}
    at = 0
    while match := _OBJECT.search(data, at):
        begin = match.end()
        end = data.find(b"endobj", begin)
        stream = _STREAM.search(data, begin, end if end >= 0 else len(data))
        if stream:
            # The bytes of a stream may hold anything, even "endobj".
            end = data.find(b"endstream", stream.end())
            body = data[begin:end] if end >= 0 else data[begin:]
            body += b"\nendstream"
        else:
            following = _OBJECT.search(data, begin, end if end >= 0 else len(data))
            if end < 0 and following is None:
                return found  # broken off inside
            end = following.start() if following else end
            body = data[begin:end]
        if not _INDEX_STREAM.search(_dictionary(body)):
            found[int(match[1])] = body.strip()
        at = max(end, begin) if end >= 0 else len(data)
    return found


def _dictionary(body: bytes) -> bytes:
    """The part of an object before its stream."""
    stream = _STREAM.search(body)
    return body[: stream.start() + 2] if stream else body


def _unpacked(body: bytes) -> Iterator[tuple[int, bytes]]:
    """The objects inside an object stream, as far as it can be inflated."""
    stream = _STREAM.search(body)
    first = re.search(rb"/First\s+(\d+)", body)
    if stream is None or first is None or b"/FlateDecode" not in _dictionary(body):
        return
    try:
        content = zlib.decompressobj().decompress(body[stream.end() :], _LARGEST_INFLATED)
    except zlib.error:
        return
    offset = int(first[1])
    numbers = [int(number) for number in re.findall(rb"\d+", content[:offset])]
    places = [offset + place for place in numbers[1::2]]
    for number, begin, end in zip(numbers[::2], places, [*places[1:], len(content)], strict=False):
        if begin < end <= len(content):
            yield number, content[begin:end].strip()


def _pages(objects: Objects) -> list[int]:
    """The pages in the order of the page tree as far as it is known, then as they lie in the file."""
    kids: dict[int, list[int]] = {}
    leaves: list[int] = []
    for number, body in objects.items():
        head = _dictionary(body)
        if _PAGE_TREE.search(head):
            listed = _KIDS.search(head)
            kids[number] = [int(kid) for kid in _REFERENCE.findall(listed[1])] if listed else []
        elif _PAGE.search(head):
            leaves.append(number)
    known = set(leaves)
    inner = {kid for children in kids.values() for kid in children}
    ordered: dict[int, None] = {}
    stack = [number for number in reversed(list(kids)) if number not in inner]
    visited: set[int] = set()
    while stack:
        number = stack.pop()
        if number in known:
            ordered[number] = None
        elif number not in visited:
            visited.add(number)
            stack += reversed(kids.get(number, []))
    return [*ordered, *(number for number in leaves if number not in ordered)]


def _written(objects: Objects, pages: list[int]) -> bytes:
    tree, catalog = max(objects) + 1, max(objects) + 2
    for number in pages:
        parent = _PARENT.search(objects[number])
        if parent and int(parent[1]) not in objects:
            objects[number] = _PARENT.sub(b"/Parent %d 0 R" % tree, objects[number], count=1)
    kids = b" ".join(b"%d 0 R" % number for number in pages)
    objects[tree] = b"<< /Type /Pages /MediaBox [0 0 612 792] /Count %d /Kids [%s] >>" % (len(pages), kids)
    objects[catalog] = b"<< /Type /Catalog /Pages %d 0 R >>" % tree
    out = bytearray(b"%PDF-1.7\n")
    index = bytearray(b"xref\n0 1\n0000000000 65535 f \n")
    for number, body in sorted(objects.items()):
        index += b"%d 1\n%010d 00000 n \n" % (number, len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    start = len(out)
    out += index + b"trailer\n<< /Size %d /Root %d 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (
        catalog + 1,
        catalog,
        start,
    )
    return bytes(out)
