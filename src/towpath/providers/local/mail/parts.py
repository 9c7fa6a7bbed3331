"""The parts of a message, found line by line. Attachments are passed over, never held or decoded.

Python's own parser holds the whole message and goes one call deeper with each nesting; this one keeps
a list of open boundaries, so that a message of a million nested parts is only cut short.
"""

from __future__ import annotations

import base64
import quopri
from collections.abc import Iterator
from dataclasses import dataclass, field
from email.message import Message
from email.parser import BytesHeaderParser
from typing import IO

_LONGEST_LINE = 1 << 20
_LONGEST_HEADERS = 1 << 18
_MOST_TEXT = 32 << 20
MOST_PARTS = 200
_DEEPEST = 50
# A multipart is only met as a part of its own when its parts cannot be found; its lines are then the text.
_READ = ("text/plain", "text/html", "multipart/mixed", "multipart/alternative", "multipart/related")
_BASE64 = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
_NOT_BASE64 = bytes(set(range(256)) - set(_BASE64))


@dataclass(slots=True)
class Part:
    """One part: its headers, the kinds of multipart around it, and its body when that is text to be read."""

    headers: Message
    around: tuple[str, ...] = ()
    raw: bytearray = field(default_factory=bytearray)
    content_type: str = field(init=False)
    is_text: bool = field(init=False)

    def __post_init__(self) -> None:
        disposition = str(self.headers.get("Content-Disposition") or "").strip().lower()
        self.content_type = self.headers.get_content_type()
        self.is_text = self.content_type in _READ and not disposition.startswith("attachment")

    def body(self) -> bytes:
        """The body without its transfer encoding; whatever breaks the encoding is dropped."""
        raw = bytes(self.raw)
        encoding = str(self.headers.get("Content-Transfer-Encoding") or "").strip().lower()
        if encoding == "quoted-printable":
            return quopri.decodestring(raw)
        if encoding == "base64":
            kept = raw.translate(None, _NOT_BASE64)
            return base64.b64decode(kept[: len(kept) - (len(kept) % 4 == 1)] + b"=" * (-len(kept) % 4))
        return raw


@dataclass(frozen=True, slots=True)
class _Boundary:
    line: bytes
    around: tuple[str, ...]


def read_parts(file: IO[bytes]) -> Iterator[Part]:
    """The message itself first, then every part that is not a multipart, in order."""
    message = Part(_headers(file))
    yield message
    boundaries = _opened([], message)
    current: Part | None = message
    found, kept = 0, 0
    while line := file.readline(_LONGEST_LINE):
        reached = _reached(boundaries, line)
        if reached is None:
            if current is not None and current.is_text and kept < _MOST_TEXT:
                kept += len(line)
                current.raw += line
            continue
        if current is message:
            message.raw.clear()
        elif current is not None:
            yield current
        current = None
        depth, closes = reached
        boundary = boundaries[depth]
        del boundaries[depth if closes else depth + 1 :]
        if not closes:
            found += 1
            if found > MOST_PARTS:
                return
            current = Part(_headers(file), boundary.around)
            deeper = _opened(boundaries, current)
            if len(deeper) > len(boundaries):
                boundaries, current = deeper, None
    if current is not None:
        yield current


def _headers(file: IO[bytes]) -> Message:
    """The lines up to the first blank one, understood by Python's parser of headers."""
    lines: list[bytes] = []
    size = 0
    while (line := file.readline(_LONGEST_LINE)).strip(b"\r\n"):
        size += len(line)
        if size <= _LONGEST_HEADERS:
            lines.append(line)
    return BytesHeaderParser().parsebytes(b"".join(lines))


def _opened(boundaries: list[_Boundary], part: Part) -> list[_Boundary]:
    """The boundaries open inside this part: one more when it is a multipart, up to a sane depth."""
    if part.headers.get_content_maintype() != "multipart" or len(boundaries) >= _DEEPEST:
        return boundaries
    stated = part.headers.get_boundary()
    if not stated:
        return boundaries
    line = b"--" + stated.encode("utf-8", "surrogateescape")
    return [*boundaries, _Boundary(line, (*part.around, part.content_type))]


def _reached(boundaries: list[_Boundary], line: bytes) -> tuple[int, bool] | None:
    """Which open boundary this line is, and whether it closes it."""
    if not line.startswith(b"--"):
        return None
    bare = line.rstrip()
    for depth in range(len(boundaries) - 1, -1, -1):
        if bare == boundaries[depth].line:
            return depth, False
        if bare == boundaries[depth].line + b"--":
            return depth, True
    return None
