"""Splits a mail message into MIME parts line by line, without loading attachments.

Python's parser loads the whole message and recurses per nesting level; this one keeps a list of open
boundaries, so a message of a million nested parts is cut short instead of exhausting memory or stack.
"""

from __future__ import annotations

import base64
import quopri
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from email.message import Message
from email.parser import BytesHeaderParser
from typing import IO

_MAX_LINE_BYTES = 1 << 20
_MAX_HEADER_BYTES = 1 << 18
_MAX_TEXT_BYTES = 32 << 20
MAX_PARTS = 200
_MAX_DEPTH = 50
# A multipart appears here only if its boundary is missing; its lines are then read as text.
_TEXT_TYPES = ("text/plain", "text/html", "multipart/mixed", "multipart/alternative", "multipart/related")
_BASE64 = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
_NOT_BASE64 = bytes(set(range(256)) - set(_BASE64))


@dataclass(slots=True)
class MimePart:
    """One part: its headers, the types of the enclosing multiparts, and its raw body if it is text."""

    headers: Message
    enclosing: tuple[str, ...] = ()
    raw: bytearray = field(default_factory=bytearray)
    content_type: str = field(init=False)
    is_text: bool = field(init=False)

    def __post_init__(self) -> None:
        disposition = str(self.headers.get("Content-Disposition") or "").strip().lower()
        self.content_type = self.headers.get_content_type()
        self.is_text = self.content_type in _TEXT_TYPES and not disposition.startswith("attachment")

    def body(self) -> bytes:
        """The body with its transfer encoding undone; invalid characters are dropped."""
        return self.decode(bytes(self.raw))

    def decode(self, raw: bytes) -> bytes:
        """Undo the transfer encoding of this part."""
        encoding = str(self.headers.get("Content-Transfer-Encoding") or "").strip().lower()
        if encoding == "quoted-printable":
            return quopri.decodestring(raw)
        if encoding == "base64":
            digits = raw.translate(None, _NOT_BASE64)
            return base64.b64decode(
                digits[: len(digits) - (len(digits) % 4 == 1)] + b"=" * (-len(digits) % 4)
            )
        return raw


@dataclass(frozen=True, slots=True)
class _Boundary:
    line: bytes
    enclosing: tuple[str, ...]


def read_parts(
    file: IO[bytes], open_raw: Callable[[MimePart], IO[bytes] | None] | None = None
) -> Iterator[MimePart]:
    """Yield the message itself, then each part that is not a multipart, in order.

    The raw body of a part that is no text is written to the file that ``open_raw`` gives for it, if any.
    """
    message = MimePart(_read_headers(file))
    raw: IO[bytes] | None = None
    yield message
    boundaries = _boundaries_inside([], message)
    current: MimePart | None = message
    part_count, text_bytes = 0, 0
    while line := file.readline(_MAX_LINE_BYTES):
        match = _match_boundary(boundaries, line)
        if match is None:
            if raw is not None:
                raw.write(line)
            if current is not None and current.is_text and text_bytes < _MAX_TEXT_BYTES:
                text_bytes += len(line)
                current.raw += line
            continue
        raw = None
        if current is message:
            message.raw.clear()
        elif current is not None:
            yield current
        current = None
        depth, closes = match
        boundary = boundaries[depth]
        del boundaries[depth if closes else depth + 1 :]
        if not closes:
            part_count += 1
            if part_count > MAX_PARTS:
                return
            current = MimePart(_read_headers(file), boundary.enclosing)
            inner_boundaries = _boundaries_inside(boundaries, current)
            if len(inner_boundaries) > len(boundaries):
                boundaries, current = inner_boundaries, None
            elif open_raw is not None and not current.is_text:
                raw = open_raw(current)
    if current is not None:
        yield current


def _read_headers(file: IO[bytes]) -> Message:
    """Parse the lines up to the first blank one as headers."""
    lines: list[bytes] = []
    size = 0
    while (line := file.readline(_MAX_LINE_BYTES)).strip(b"\r\n"):
        size += len(line)
        if size <= _MAX_HEADER_BYTES:
            lines.append(line)
    return BytesHeaderParser().parsebytes(b"".join(lines))


def _boundaries_inside(boundaries: list[_Boundary], part: MimePart) -> list[_Boundary]:
    """The boundaries that are open inside this part: one more if it is a multipart, up to ``_MAX_DEPTH``."""
    if part.headers.get_content_maintype() != "multipart" or len(boundaries) >= _MAX_DEPTH:
        return boundaries
    boundary = part.headers.get_boundary()
    if not boundary:
        return boundaries
    line = b"--" + boundary.encode("utf-8", "surrogateescape")
    return [*boundaries, _Boundary(line, (*part.enclosing, part.content_type))]


def _match_boundary(boundaries: list[_Boundary], line: bytes) -> tuple[int, bool] | None:
    """The depth of the boundary that this line is, and whether the line closes it; None for other lines."""
    if not line.startswith(b"--"):
        return None
    stripped = line.rstrip()
    for depth in range(len(boundaries) - 1, -1, -1):
        if stripped == boundaries[depth].line:
            return depth, False
        if stripped == boundaries[depth].line + b"--":
            return depth, True
    return None
