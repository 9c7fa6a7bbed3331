"""Reads the one file of a multipart body as it arrives, without ever holding it in memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from fastapi import HTTPException, Request
from python_multipart.exceptions import MultipartParseError
from python_multipart.multipart import MultipartParser, parse_options_header
from starlette.requests import ClientDisconnect

if TYPE_CHECKING:
    from python_multipart.multipart import MultipartCallbacks

_MOST_HEADERS = 16_384


class FilePart:
    """Hands the bytes of the part called ``file`` to a writer; other parts are passed over."""

    def __init__(self, boundary: bytes, write: Callable[[bytes], None]) -> None:
        self.name: str | None = None
        self._write = write
        self._field = b""
        self._value = b""
        self._disposition = b""
        self._inside = False
        callbacks: MultipartCallbacks = {
            "on_part_begin": self._begin,
            "on_header_field": self._on_field,
            "on_header_value": self._on_value,
            "on_header_end": self._on_header,
            "on_headers_finished": self._on_headers,
            "on_part_data": self._on_data,
            "on_part_end": self._end,
        }
        self._parser = MultipartParser(boundary, callbacks)

    def feed(self, piece: bytes) -> None:
        self._parser.write(piece)

    def finish(self) -> None:
        self._parser.finalize()

    def _begin(self) -> None:
        self._field = self._value = self._disposition = b""

    def _on_field(self, data: bytes, start: int, end: int) -> None:
        self._field += data[start:end]
        self._bounded()

    def _on_value(self, data: bytes, start: int, end: int) -> None:
        self._value += data[start:end]
        self._bounded()

    def _on_header(self) -> None:
        if self._field.lower() == b"content-disposition":
            self._disposition = self._value
        self._field = self._value = b""

    def _on_headers(self) -> None:
        _, options = parse_options_header(self._disposition)
        wanted = options.get(b"name") == b"file"
        if wanted and self.name is not None:
            raise HTTPException(400, "Send one file with each request.")
        self._inside = wanted
        if wanted:
            name = options.get(b"filename*") or options.get(b"filename") or b"unnamed"
            self.name = name.decode("utf-8", "replace")

    def _on_data(self, data: bytes, start: int, end: int) -> None:
        if self._inside:
            self._write(data[start:end])

    def _end(self) -> None:
        self._inside = False

    def _bounded(self) -> None:
        if len(self._field) + len(self._value) > _MOST_HEADERS:
            raise HTTPException(400, "The headers of a part are too long.")


async def receive(request: Request, write: Callable[[bytes], None]) -> str:
    """Pass the file's bytes on as they come; give the name it was sent with."""
    kind, options = parse_options_header(request.headers.get("content-type", ""))
    boundary = options.get(b"boundary")
    if kind != b"multipart/form-data" or not boundary:
        raise HTTPException(400, "Send the file as multipart/form-data in a part called `file`.")
    part = FilePart(boundary, write)
    try:
        async for piece in request.stream():
            part.feed(piece)
        part.finish()
    except MultipartParseError as error:
        raise HTTPException(400, f"The multipart body cannot be understood: {error}") from error
    except ClientDisconnect as error:
        raise HTTPException(400, "The upload broke off.") from error
    if part.name is None:
        raise HTTPException(400, "There is no part called `file` in the request.")
    return part.name
