"""Opens a .ppt file: the newest version of each object, the slides in order and their notes (MS-PPT 2.1)."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from towpath import rejections
from towpath.errors import Rejected
from towpath.readers.common.bounded_read import DEFAULT_MAX_BYTES, require_size
from towpath.readers.office.compound_properties import read_properties
from towpath.readers.office.ppt import records
from towpath.readers.office.ppt.records import Record, children, read_record
from towpath.readers.office.ppt.text import Text, read_texts

FORMAT_NAME = "PowerPoint presentation (.ppt)"

_SLIDES, _NOTES = 0, 2
_ENCRYPTED_TOKEN = 0xF3D1C4DF
_MAX_EDITS = 1000


@dataclass(frozen=True, slots=True)
class SlideSource:
    """The records of one slide, the texts that the outline has of it, and the records of its notes."""

    record: Record | None
    outline: tuple[Text, ...]
    notes: Record | None


@dataclass(frozen=True, slots=True)
class PresentationFile:
    slides: tuple[SlideSource, ...]
    metadata: dict[str, str]


def open_presentation(path: Path) -> PresentationFile:
    """Open a file; raises Rejected if it is encrypted or damaged."""
    require_size(path, FORMAT_NAME, DEFAULT_MAX_BYTES)
    try:
        olefile: Any = import_module("olefile")
        with olefile.OleFileIO(str(path)) as container:
            stream = memoryview(container.openstream("PowerPoint Document").read())
            user = bytes(container.openstream("Current User").read())
            if container.exists("EncryptedSummary"):
                raise rejections.encrypted(FORMAT_NAME)
            metadata = read_properties(container)
        return PresentationFile(tuple(_slides(stream, user)), metadata)
    except Rejected:
        raise
    except Exception as error:  # olefile and the format's own positions can fail in many ways
        raise rejections.corrupt(FORMAT_NAME) from error


def _slides(stream: memoryview, user: bytes) -> Iterator[SlideSource]:
    offset = struct.unpack_from("<I", user, 16)[0]
    if struct.unpack_from("<I", user, 12)[0] == _ENCRYPTED_TOKEN:
        raise rejections.encrypted(FORMAT_NAME)
    objects, document = _read_objects(stream, offset)
    lists = {
        record.instance: record
        for record in children(read_record(stream, objects[document]).content)
        if record.kind == records.SLIDE_LIST
    }
    notes = _notes_by_slide(stream, objects, lists.get(_NOTES))
    for persist_id, slide_id, texts in _listed(lists.get(_SLIDES)):
        record = _object(stream, objects, persist_id, records.SLIDE)
        yield SlideSource(record, tuple(read_texts(texts)), notes.get(slide_id))


def _read_objects(stream: memoryview, offset: int) -> tuple[dict[int, int], int]:
    """The place of each object after the last edit, and the number of the document."""
    objects: dict[int, int] = {}
    document = 0
    seen: set[int] = set()
    while offset and offset not in seen and len(seen) < _MAX_EDITS:
        seen.add(offset)
        edit = read_record(stream, offset)
        if edit.kind != records.USER_EDIT or len(edit.content) < 20:
            break
        if len(edit.content) >= 32:
            raise rejections.encrypted(FORMAT_NAME)
        previous, directory, number = struct.unpack_from("<III", edit.content, 8)
        document = document or number
        for key, place in _read_directory(read_record(stream, directory).content):
            objects.setdefault(key, place)
        offset = previous
    return objects, document


def _read_directory(content: memoryview) -> Iterator[tuple[int, int]]:
    offset = 0
    while offset + 4 <= len(content):
        head = struct.unpack_from("<I", content, offset)[0]
        count = min(head >> 20, (len(content) - offset - 4) // 4)
        for index in range(count):
            yield (head & 0xFFFFF) + index, struct.unpack_from("<I", content, offset + 4 + 4 * index)[0]
        offset += 4 + 4 * count


def _listed(slide_list: Record | None) -> Iterator[tuple[int, int, list[Record]]]:
    """For each slide of a list the number of its object, its own number, and the records of its texts."""
    current: tuple[int, int, list[Record]] | None = None
    for record in children(slide_list.content) if slide_list else ():
        if record.kind == records.SLIDE_PERSIST and len(record.content) >= 16:
            if current is not None:
                yield current
            persist_id, _, _, slide_id = struct.unpack_from("<4I", record.content)
            current = (persist_id, slide_id, [])
        elif current is not None:
            current[2].append(record)
    if current is not None:
        yield current


def _object(stream: memoryview, objects: dict[int, int], number: int, kind: int) -> Record | None:
    offset = objects.get(number)
    record = read_record(stream, offset) if offset is not None else None
    return record if record is not None and record.kind == kind else None


def _notes_by_slide(
    stream: memoryview, objects: dict[int, int], notes_list: Record | None
) -> dict[int, Record]:
    notes: dict[int, Record] = {}
    for persist_id, _, _ in _listed(notes_list):
        record = _object(stream, objects, persist_id, records.NOTES)
        atom = (
            next((r for r in children(record.content) if r.kind == records.NOTES_ATOM), None)
            if record
            else None
        )
        if record is not None and atom is not None and len(atom.content) >= 4:
            notes.setdefault(struct.unpack_from("<I", atom.content)[0], record)
    return notes
