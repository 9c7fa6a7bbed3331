"""Writes a message that is attached to an Outlook message as a mail (.eml), so that it is read as one."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import replace
from email.header import Header
from email.message import Message
from email.mime.application import MIMEApplication
from email.mime.message import MIMEMessage
from email.mime.multipart import MIMEMultipart
from email.mime.text import MIMEText
from email.utils import format_datetime
from typing import Any

#: The storage of an attachment that contains a message.
_MESSAGE_STORAGE = "__substg1.0_3701000D"
_PROPERTIES = "__properties_version1.0"
#: The list of properties of a message begins 8 bytes later if it is the message of the file.
_HEADER_BYTES, _HEADER_GAP = 24, bytes(8)
#: Messages inside messages inside messages: deeper ones are left out.
_MAX_DEPTH = 5
_DEFAULT_NAME = "attachment"


def embedded_message(attachment: Any) -> Any | None:
    """The message that is attached; None if a file is."""
    storages = attachment._storage.storages  # pyright: ignore[reportUnknownMemberType]
    storage = next((storage for storage in storages if storage.name == _MESSAGE_STORAGE), None)
    if storage is None:
        return None
    from oxmsg import Message as OutlookMessage

    streams = tuple(
        replace(
            stream,
            bytes_=stream.bytes_[:_HEADER_BYTES] + _HEADER_GAP + stream.bytes_[_HEADER_BYTES:],
        )
        if stream.name == _PROPERTIES
        else stream
        for stream in storage.streams
    )
    return OutlookMessage(replace(storage, streams=streams))


def as_mail(
    message: Any, headers_of: Callable[[Any], dict[str, str]], file_name_of: Callable[[Any, Any], str]
) -> bytes:
    """The message with its attachments as a mail; the same message gives the same bytes."""
    return _mail(message, headers_of, file_name_of, 0).as_bytes()


def _mail(
    message: Any,
    headers_of: Callable[[Any], dict[str, str]],
    file_name_of: Callable[[Any, Any], str],
    depth: int,
) -> Message:
    headers = headers_of(message)
    html = str(message.html_body or "")
    text = str(message.body or "")
    parts: list[Message] = [
        MIMEText(text if text.strip() or not html else html, _subtype(text, html), "utf-8")
    ]
    for attachment in message.attachments:
        inner = embedded_message(attachment)
        if inner is not None:
            if depth < _MAX_DEPTH:
                parts.append(MIMEMessage(_mail(inner, headers_of, file_name_of, depth + 1)))
            continue
        part = MIMEApplication(attachment.file_bytes or b"")
        part.add_header("Content-Disposition", "attachment", filename=file_name_of(message, attachment))
        parts.append(part)
    digest = hashlib.sha256("\n".join([*headers.values(), text, html]).encode("utf-8", "replace")).hexdigest()
    mail = MIMEMultipart(boundary=f"part-{digest[:32]}-{depth}", _subparts=parts)
    if message.sent_date:
        headers["Date"] = format_datetime(message.sent_date)
    for name, value in headers.items():
        mail[name] = value if value.isascii() else Header(value, "utf-8").encode()
    return mail


def _subtype(text: str, html: str) -> str:
    return "html" if html and not text.strip() else "plain"
