"""Rebuilds a PDF from its remaining objects if the cross-reference table and trailer are missing.

The most common damage is a truncated upload: the pages are present, but the index at the end is not.
qpdf cannot repair that; this module finds the page objects and writes a new index.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator
from pathlib import Path

# The file is loaded into memory for the search; larger files are rejected as damaged.
_MAX_FILE_BYTES = 200_000_000
_MAX_INFLATED_BYTES = 50_000_000

_OBJECT = re.compile(rb"(?<![\d.])(\d{1,8})[ \t\r\n]+\d{1,5}[ \t\r\n]+obj\b")
_STREAM = re.compile(rb">>[ \t\r\n]*stream\r?\n")
_PAGE = re.compile(rb"/Type\s*/Page(?![A-Za-z])")
_PAGE_TREE = re.compile(rb"/Type\s*/Pages(?![A-Za-z])")
_OBJECT_STREAM = re.compile(rb"/Type\s*/ObjStm(?![A-Za-z])")
_XREF_STREAM = re.compile(rb"/Type\s*/XRef(?![A-Za-z])")
_ENCRYPTED = re.compile(rb"/Encrypt\s+\d+\s+\d+\s+R|/Encrypt\s*<<")
_KIDS = re.compile(rb"/Kids\s*\[([^\[\]]*)\]")
_REFERENCE = re.compile(rb"(\d{1,10})\s{1,20}\d{1,10}\s{1,20}R")
_PARENT = re.compile(rb"/Parent\s+(\d{1,10})\s{1,20}\d{1,10}\s{1,20}R")

Objects = dict[int, bytes]


def recover_objects(path: Path, copy: Path) -> bool:
    """Write the objects found as a new file; False if there is no page or the file is encrypted."""
    if path.stat().st_size > _MAX_FILE_BYTES:
        return False
    data = path.read_bytes()
    if _ENCRYPTED.search(data):
        return False
    objects = _find_objects(data)
    for number in [number for number, body in objects.items() if _OBJECT_STREAM.search(_dictionary(body))]:
        for inner_number, body in _object_stream_objects(objects.pop(number)):
            objects[inner_number] = body
    pages = _ordered_pages(objects)
    if pages:
        copy.write_bytes(_write_pdf(objects, pages))
    return bool(pages)


def _find_objects(data: bytes) -> Objects:
    objects: Objects = {}
    offset = 0
    while match := _OBJECT.search(data, offset):
        begin = match.end()
        end = data.find(b"endobj", begin)
        stream = _STREAM.search(data, begin, end if end >= 0 else len(data))
        if stream:
            # A stream may contain any bytes, even "endobj".
            end = data.find(b"endstream", stream.end())
            body = data[begin:end] if end >= 0 else data[begin:]
            body += b"\nendstream"
        else:
            next_object = _OBJECT.search(data, begin, end if end >= 0 else len(data))
            if end < 0 and next_object is None:
                return objects  # truncated inside this object
            end = next_object.start() if next_object else end
            body = data[begin:end]
        if not _XREF_STREAM.search(_dictionary(body)):
            objects[int(match[1])] = body.strip()
        offset = max(end, begin) if end >= 0 else len(data)
    return objects


def _dictionary(body: bytes) -> bytes:
    """The part of an object before its stream."""
    stream = _STREAM.search(body)
    return body[: stream.start() + 2] if stream else body


def _object_stream_objects(body: bytes) -> Iterator[tuple[int, bytes]]:
    """The objects in an object stream, as far as it can be inflated."""
    stream = _STREAM.search(body)
    first = re.search(rb"/First\s+(\d+)", body)
    if stream is None or first is None or b"/FlateDecode" not in _dictionary(body):
        return
    try:
        content = zlib.decompressobj().decompress(body[stream.end() :], _MAX_INFLATED_BYTES)
    except zlib.error:
        return
    offset = int(first[1])
    numbers = [int(number) for number in re.findall(rb"\d+", content[:offset])]
    offsets = [offset + place for place in numbers[1::2]]
    for number, begin, end in zip(numbers[::2], offsets, [*offsets[1:], len(content)], strict=False):
        if begin < end <= len(content):
            yield number, content[begin:end].strip()


def _ordered_pages(objects: Objects) -> list[int]:
    """The page numbers: first in order of the remaining page tree, then in file order."""
    kids: dict[int, list[int]] = {}
    leaves: list[int] = []
    for number, body in objects.items():
        head = _dictionary(body)
        if _PAGE_TREE.search(head):
            kids_match = _KIDS.search(head)
            kids[number] = [int(kid) for kid in _REFERENCE.findall(kids_match[1])] if kids_match else []
        elif _PAGE.search(head):
            leaves.append(number)
    page_numbers = set(leaves)
    child_numbers = {kid for children in kids.values() for kid in children}
    ordered: dict[int, None] = {}
    stack = [number for number in reversed(list(kids)) if number not in child_numbers]
    visited: set[int] = set()
    while stack:
        number = stack.pop()
        if number in page_numbers:
            ordered[number] = None
        elif number not in visited:
            visited.add(number)
            stack += reversed(kids.get(number, []))
    return [*ordered, *(number for number in leaves if number not in ordered)]


def _write_pdf(objects: Objects, pages: list[int]) -> bytes:
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
