"""Originals over HTTP: ranges, and headers that keep a hostile file from acting as a page of ours."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import quote

from fastapi import HTTPException, Request, Response
from fastapi.responses import StreamingResponse

from towpath.catalogue.contract import Document
from towpath.errors import NotFound
from towpath.storage.contract import BlobStore

_RANGE = re.compile(r"bytes=([0-9]*)-([0-9]*)", re.IGNORECASE)
#: Types a browser may show beside our page. Everything else is offered as a download.
_SHOWN = (
    "application/pdf",
    "image/png",
    "image/jpeg",
    "image/gif",
    "image/webp",
    "audio/",
    "video/",
    "text/plain",
)


@dataclass(frozen=True, slots=True)
class Stored:
    """A blob and how to offer it."""

    key: str
    name: str
    media_type: str
    size: int
    sha256: str


def original_of(document: Document) -> Stored:
    if not document.blob_key:
        raise NotFound(
            "The original was removed once its transcript existed, as the setting keep_original wishes. "
            f"Its sound is at /documents/{document.id}/audio."
        )
    return Stored(document.blob_key, document.name, document.media_type, document.size, document.sha256)


def file_response(blobs: BlobStore, file: Stored, asked: str | None, request: Request) -> Response:
    """The file or the range that is ``asked`` for; of a file that the asker has in another form, all of it."""
    tag = f'"{file.sha256}"'
    if tag in [part.strip() for part in request.headers.get("if-none-match", "").split(",")]:
        return Response(status_code=304, headers={"ETag": tag})
    same = request.headers.get("if-range", tag) == tag
    start, end, partial = _span(asked if same else None, file.size)
    shown = file.media_type.startswith(_SHOWN)
    way = "inline" if shown else "attachment"
    headers = {
        "Accept-Ranges": "bytes",
        "Content-Length": str(end - start),
        "Content-Disposition": f"{way}; filename*=utf-8''{quote(file.name)}",
        "Content-Security-Policy": "sandbox; default-src 'none'",
        "X-Content-Type-Options": "nosniff",
        "ETag": tag,
    }
    if partial:
        headers["Content-Range"] = f"bytes {start}-{end - 1}/{file.size}"
    status, media_type = 206 if partial else 200, file.media_type if shown else "application/octet-stream"
    if request.method == "HEAD":
        return Response(status_code=status, media_type=media_type, headers=headers)
    return StreamingResponse(blobs.stream(file.key, start, end), status, headers, media_type)


def _span(asked: str | None, size: int) -> tuple[int, int, bool]:
    """The bytes to send: from, up to, and whether that is only a part. An odd header asks for everything."""
    found = _RANGE.fullmatch(asked.strip()) if asked else None
    if found is None or found.groups() == ("", ""):
        return 0, size, False
    first, last = found.groups()
    start = int(first) if first else max(0, size - int(last))
    end = min(size, int(last) + 1) if first and last else size
    if start >= size or start >= end:
        raise HTTPException(416, f"The file has {size} bytes.", {"Content-Range": f"bytes */{size}"})
    return start, end, True
