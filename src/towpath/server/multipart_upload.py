"""Streams the file part of a multipart request body to a writer; small text parts are kept."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast
from urllib.parse import unquote_to_bytes

from fastapi import HTTPException, Request
from python_multipart.exceptions import FormParserError
from python_multipart.multipart import MultipartParser, parse_options_header
from starlette.requests import ClientDisconnect

from towpath.errors import UserError
from towpath.model.labels import Labels, make_labels

if TYPE_CHECKING:
    from python_multipart.multipart import MultipartCallbacks

#: Maximum bytes of one part header.
_MAX_HEADER_BYTES = 16_384
#: Maximum bytes of all text parts together.
_MAX_TEXT_BYTES = 131_072

#: `filename*=UTF-8''na%C3%AFve.txt`: some clients send it beside a `filename` that has no readable name.
_QUOTED = re.compile(rb'"(?:[^"\\]|\\.?)*"?', re.DOTALL)
_EXTENDED_NAME = re.compile(rb";\s*filename\*\s*=\s*utf-8'[^']*'([^\s;\"]+)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class UploadForm:
    """The name of the file as the client sent it, and the text parts in their order."""

    name: str
    texts: tuple[tuple[str, str], ...] = ()

    def values(self, name: str) -> list[str]:
        return [value for part, value in self.texts if part == name]


class FilePartParser:
    """Passes the bytes of the part named ``file`` to a writer, keeps the parts in ``TEXT_PARTS`` and skips others."""

    TEXT_PARTS = frozenset({"collection", "key", "metadata", "pipeline", "tags"})

    def __init__(self, boundary: bytes, write: Callable[[bytes], None]) -> None:
        self.name: str | None = None
        self.texts: list[tuple[str, str]] = []
        self._text_part: str | None = None
        self._text = b""
        self._text_bytes = 0
        self._write = write
        self._field = b""
        self._value = b""
        self._disposition = b""
        self._in_file_part = False
        self._has_ended = False
        callbacks: MultipartCallbacks = {
            "on_part_begin": self._on_part_begin,
            "on_header_field": self._on_header_field,
            "on_header_value": self._on_header_value,
            "on_header_end": self._on_header_end,
            "on_headers_finished": self._on_headers,
            "on_part_data": self._on_data,
            "on_part_end": self._on_part_end,
            "on_end": self._on_end,
        }
        self._parser = MultipartParser(boundary, callbacks)

    def feed(self, data: bytes) -> None:
        self._parser.write(data)

    def finish(self) -> None:
        """Raise HTTPException if the closing boundary is missing: the end of the file may have been cut off."""
        self._parser.finalize()
        if not self._has_ended:
            raise HTTPException(400, "The multipart body ends before its closing boundary.")

    def _on_part_begin(self) -> None:
        self._field = self._value = self._disposition = b""

    def _on_header_field(self, data: bytes, start: int, end: int) -> None:
        self._field += data[start:end]
        self._check_header_size()

    def _on_header_value(self, data: bytes, start: int, end: int) -> None:
        self._value += data[start:end]
        self._check_header_size()

    def _on_header_end(self) -> None:
        if self._field.lower() == b"content-disposition":
            self._disposition = self._value
        self._field = self._value = b""

    def _on_headers(self) -> None:
        _, options = parse_options_header(self._disposition)
        is_file = options.get(b"name") == b"file"
        if is_file and self.name is not None:
            raise HTTPException(400, "Send one file per request.")
        self._in_file_part = is_file
        part = options.get(b"name", b"").decode("utf-8", "replace")
        self._text_part = part if part in self.TEXT_PARTS else None
        self._text = b""
        if is_file:
            extended = _EXTENDED_NAME.search(_QUOTED.sub(b'""', self._disposition))
            name = options.get(b"filename") if extended is None else unquote_to_bytes(extended[1])
            self.name = (name or b"unnamed").decode("utf-8", "replace")

    def _on_data(self, data: bytes, start: int, end: int) -> None:
        if self._in_file_part:
            self._write(data[start:end])
        elif self._text_part is not None:
            self._text_bytes += end - start
            if self._text_bytes > _MAX_TEXT_BYTES:
                raise HTTPException(400, "The text parts of the upload are too long.")
            self._text += data[start:end]

    def _on_part_end(self) -> None:
        self._in_file_part = False
        if self._text_part is not None:
            self.texts.append((self._text_part, self._text.decode("utf-8", "replace")))
            self._text_part = None

    def _on_end(self) -> None:
        self._has_ended = True

    def _check_header_size(self) -> None:
        if len(self._field) + len(self._value) > _MAX_HEADER_BYTES:
            raise HTTPException(400, "The headers of a part are too long.")


async def receive_file(request: Request, write: Callable[[bytes], None]) -> UploadForm:
    """Pass the file's bytes to ``write`` as they arrive; return the rest of the form."""
    content_type, options = parse_options_header(request.headers.get("content-type", ""))
    boundary = options.get(b"boundary")
    if content_type != b"multipart/form-data" or not boundary:
        raise HTTPException(400, "Send the file as multipart/form-data in a part named `file`.")
    try:
        parser = FilePartParser(boundary, write)
        async for data in request.stream():
            parser.feed(data)
        parser.finish()
    except FormParserError as error:
        raise HTTPException(400, f"The multipart body is not valid: {error}") from error
    except ClientDisconnect as error:
        raise HTTPException(400, "The connection closed before the upload was complete.") from error
    if parser.name is None:
        raise HTTPException(400, "The request has no part named `file`.")
    return UploadForm(parser.name, tuple(parser.texts))


def upload_labels(form: UploadForm) -> Labels:
    """The labels in the form; raises UserError if they are not valid."""
    collection = next((value for value in form.values("collection") if value.strip()), None)
    tags = [tag for value in form.values("tags") for tag in value.split(",")]
    metadata: dict[str, object] = {}
    for value in form.values("metadata"):
        if value.strip():
            metadata |= _parse_metadata(value)
    return make_labels(collection, tags, metadata)


def _parse_metadata(text: str) -> dict[str, object]:
    try:
        parsed = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UserError("The part `metadata` must be a JSON object.") from error
    if not isinstance(parsed, dict):
        raise UserError("The part `metadata` must be a JSON object.")
    return cast("dict[str, object]", parsed)
