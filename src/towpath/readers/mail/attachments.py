"""Writes the attachments of a mail message to files: each becomes a document of its own.

Images that the message shows inside its text (logos of signatures, mostly) and signatures are no attachments.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from email.parser import BytesHeaderParser
from pathlib import Path
from typing import IO

from towpath.readers.contained_files import MemberWriter
from towpath.readers.mail.mime_parts import MimePart, read_parts
from towpath.readers.mail.reader import FORMAT_NAME, attachment_name, header_text, name_of_message

_NO_DOCUMENTS = (
    "application/pgp-signature",
    "application/pkcs7-signature",
    "application/x-pkcs7-signature",
    "application/ms-tnef",
    "text/calendar",
)
_SUFFIXES = {"application/pdf": ".pdf", "text/html": ".html", "text/plain": ".txt"}
_IN_MEMORY_BYTES = 8 << 20
#: The headers of a message are searched for its subject within so many bytes.
_HEADER_BYTES = 64 << 10


def is_attachment(part: MimePart) -> bool:
    """True if the part is a file for its reader, not text or decoration of the message."""
    if part.is_text or part.content_type in _NO_DOCUMENTS:
        return False
    disposition = str(part.headers.get("Content-Disposition") or "").strip().lower()
    is_shown_inside = part.headers.get("Content-ID") is not None or disposition.startswith("inline")
    return not (
        is_shown_inside
        and not disposition.startswith("attachment")
        and part.content_type.startswith("image/")
    )


def write_mail_members(path: Path, writer: MemberWriter, progress: Callable[[int, int], None]) -> None:
    """Write each attachment, decoded. Attached messages are written as they are."""
    writer.format_name = FORMAT_NAME
    raw_files: dict[int, IO[bytes]] = {}

    def open_raw(part: MimePart) -> IO[bytes] | None:
        if not is_attachment(part):
            return None
        raw_files[id(part)] = tempfile.SpooledTemporaryFile(_IN_MEMORY_BYTES)  # noqa: SIM115
        return raw_files[id(part)]

    with path.open("rb") as file:
        for part in read_parts(file, open_raw):
            raw = raw_files.pop(id(part), None)
            if raw is not None:
                with raw:
                    raw.seek(0)
                    content = part.decode(raw.read())
                    writer.add(_member_name(part, len(writer.members), content), iter((content,)))
            progress(1, 1)


def _member_name(part: MimePart, index: int, content: bytes) -> str:
    name = attachment_name(part)
    if not name.startswith("("):
        return name
    if part.content_type == "message/rfc822":
        headers = BytesHeaderParser().parsebytes(content[:_HEADER_BYTES])
        return name_of_message(header_text(headers, "Subject"))
    return f"attachment {index + 1}{_SUFFIXES.get(part.content_type, '')}"
