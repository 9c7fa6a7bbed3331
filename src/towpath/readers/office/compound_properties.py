"""Reads title, author and dates of Office files from before 2007 (MS-OLEPS)."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

_STREAM = "\x05SummaryInformation"
_CODE_PAGE, _TITLE, _SUBJECT, _AUTHOR, _KEYWORDS, _CREATED, _SAVED = 1, 2, 3, 4, 5, 12, 13
_TEXTS = {_TITLE: "title", _SUBJECT: "subject", _AUTHOR: "authors", _KEYWORDS: "keywords"}
_DATES = {_CREATED: "created", _SAVED: "modified"}
_INTEGER, _BYTES, _CHARACTERS, _FILE_TIME = 2, 30, 31, 64
_MAX_PROPERTIES, _MAX_TEXT = 200, 2000
_ENCODINGS = {65001: "utf-8", 10000: "mac-roman", 1200: "utf-16-le"}
_FIRST_YEAR = 1981


def read_properties(container: Any) -> dict[str, str]:
    """The properties of an open compound file; none if they are missing or damaged."""
    if not container.exists(_STREAM):
        return {}
    try:
        content = bytes(container.openstream(_STREAM).read())
        places = dict(_places(content))
        encoding = _encoding(content, places.get(_CODE_PAGE))
        values = {
            name: _text(content, places[key], encoding) for key, name in _TEXTS.items() if key in places
        }
        values |= {name: _date(content, places[key]) for key, name in _DATES.items() if key in places}
    except Exception:  # olefile raises many kinds of errors on damaged streams
        return {}
    return {name: value for name, value in values.items() if value}


def _places(content: bytes) -> Iterator[tuple[int, int]]:
    """The place of each property in the first set."""
    start = struct.unpack_from("<I", content, 44)[0]
    count = min(struct.unpack_from("<I", content, start + 4)[0], _MAX_PROPERTIES)
    for index in range(count):
        key, offset = struct.unpack_from("<II", content, start + 8 + 8 * index)
        yield key, start + offset


def _encoding(content: bytes, place: int | None) -> str:
    number = 1252
    if place is not None and struct.unpack_from("<I", content, place)[0] == _INTEGER:
        number = struct.unpack_from("<H", content, place + 4)[0]
    return _ENCODINGS.get(number, f"cp{number}")


def _text(content: bytes, place: int, encoding: str) -> str:
    kind, length = struct.unpack_from("<II", content, place)
    if kind == _CHARACTERS:
        text = content[place + 8 : place + 8 + 2 * min(length, _MAX_TEXT)].decode("utf-16-le", "replace")
    elif kind == _BYTES:
        body = content[place + 8 : place + 8 + min(length, _MAX_TEXT)]
        try:
            text = body.decode(encoding)
        except (LookupError, UnicodeDecodeError):
            text = body.decode("cp1252", "replace")
    else:
        return ""
    return " ".join(text.partition("\0")[0].split())


def _date(content: bytes, place: int) -> str:
    kind, ticks = struct.unpack_from("<IQ", content, place)
    if kind != _FILE_TIME:
        return ""
    moment = datetime(1601, 1, 1, tzinfo=UTC) + timedelta(microseconds=ticks // 10)
    return f"{moment:%Y-%m-%dT%H:%M:%SZ}" if moment.year >= _FIRST_YEAR else ""
