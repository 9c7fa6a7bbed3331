"""Serves stored files over HTTP: ranges, ETags, and headers that stop a file from running as a page."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import quote

from fastapi import HTTPException, Request, Response
from fastapi.responses import StreamingResponse

from towpath.errors import BlobMissing, NotFound
from towpath.model.document import Document
from towpath.storage.contract import MISSING_MESSAGE, BlobStore

_RANGE = re.compile(r"bytes=([0-9]*)-([0-9]*)", re.IGNORECASE)
#: Media types that a browser may display inline. All others are sent as attachments.
_INLINE_TYPES = (
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
class Download:
    """A blob with the name and media type under which it is sent."""

    key: str
    name: str
    media_type: str
    size: int
    sha256: str


def original_file(document: Document) -> Download:
    if not document.blob_key:
        raise NotFound(
            "The original was removed after transcription (setting `keep_original`). "
            f"The audio is at /documents/{document.id}/audio."
        )
    return Download(document.blob_key, document.name, document.media_type, document.size, document.sha256)


async def require_blob(blobs: BlobStore, key: str) -> None:
    """Raise BlobMissing before the response begins: a stream that fails later would be cut off."""
    if await blobs.size(key) is None:
        raise BlobMissing(MISSING_MESSAGE)


def file_response(blobs: BlobStore, file: Download, range_header: str | None, request: Request) -> Response:
    """The file or the requested range of it. The whole file if `If-Range` names another version."""
    tag = f'"{file.sha256}"'
    if tag in [part.strip() for part in request.headers.get("if-none-match", "").split(",")]:
        return Response(status_code=304, headers={"ETag": tag})
    same_version = request.headers.get("if-range", tag) == tag
    start, end, partial = _byte_range(range_header if same_version else None, file.size)
    inline = file.media_type.startswith(_INLINE_TYPES)
    disposition = "inline" if inline else "attachment"
    headers = {
        "Accept-Ranges": "bytes",
        "Content-Length": str(end - start),
        "Content-Disposition": f"{disposition}; filename*=utf-8''{quote(file.name)}",
        "Content-Security-Policy": "sandbox; default-src 'none'",
        "X-Content-Type-Options": "nosniff",
        "ETag": tag,
    }
    if partial:
        headers["Content-Range"] = f"bytes {start}-{end - 1}/{file.size}"
    status, media_type = 206 if partial else 200, file.media_type if inline else "application/octet-stream"
    if request.method == "HEAD":
        return Response(status_code=status, media_type=media_type, headers=headers)
    return StreamingResponse(blobs.stream(file.key, start, end), status, headers, media_type)


def _byte_range(header: str | None, size: int) -> tuple[int, int, bool]:
    """Start, end (exclusive), and whether that is only a part. An invalid header means the whole file."""
    match = _RANGE.fullmatch(header.strip()) if header else None
    if match is None or match.groups() == ("", ""):
        return 0, size, False
    first, last = match.groups()
    start = int(first) if first else max(0, size - int(last))
    end = min(size, int(last) + 1) if first and last else size
    if start >= size or start >= end:
        raise HTTPException(416, f"The file has {size} bytes.", {"Content-Range": f"bytes */{size}"})
    return start, end, True
