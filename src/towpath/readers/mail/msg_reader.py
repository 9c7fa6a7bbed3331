"""Reads Outlook messages (.msg): headers become fields, attachments become documents of their own."""

from __future__ import annotations

import re
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

from towpath import rejections
from towpath.model.content import Extraction
from towpath.readers.common.bounded_read import require_size
from towpath.readers.contained_files import MemberWriter
from towpath.readers.html.reader import convert_html
from towpath.readers.mail.reader import write_message
from towpath.readers.text.reader import escape_plain_text

FORMAT_NAME = "Outlook message"

_MAX_BYTES = 512 << 20
#: The path of a mailbox inside an Exchange server: no address to which anybody can write.
_EXCHANGE_ADDRESS = re.compile(r"(?<!\s)\s*<?/o=[^>]*>?", re.IGNORECASE)


def read_msg(path: Path, progress: Callable[[int, int], None]) -> Extraction:
    """Read the message as a mail: subject, headers, text and the names of its attachments."""
    message = _load(path)
    try:
        date = message.sent_date
        headers = {
            "From": _EXCHANGE_ADDRESS.sub("", str(message.sender or "")),
            "To": ", ".join(_recipient(recipient) for recipient in message.recipients),
            "Date": date.isoformat() if date else "",
            "Subject": str(message.subject or ""),
        }
        body = _body(message)
        names = [str(attachment.file_name or "attachment") for attachment in message.attachments]
    except Exception as error:  # the library raises many kinds of errors on damaged files
        raise rejections.corrupt(FORMAT_NAME) from error
    headers = {name: " ".join(value.split()) for name, value in headers.items() if value.strip()}
    if not body and not headers.get("Subject") and not names:
        raise rejections.empty(FORMAT_NAME)
    progress(1, 1)
    text, fields = write_message(headers, body, names)
    names_of_headers = {"title": "Subject", "authors": "From", "date": "Date"}
    metadata = {name: headers.get(header, "") for name, header in names_of_headers.items()}
    return Extraction(
        text,
        "python-oxmsg",
        fields=fields,
        metadata={name: value for name, value in metadata.items() if value},
    )


def write_msg_members(path: Path, writer: MemberWriter, progress: Callable[[int, int], None]) -> None:
    """Write the attached files. Pictures inside the text have a content id and are left out."""
    writer.format_name = FORMAT_NAME
    message = _load(path)
    try:
        attachments = [
            (str(attachment.file_name or "attachment"), attachment.file_bytes)
            for attachment in message.attachments
            if not (str(attachment.mime_type).startswith("image/") and _content_id(attachment))
        ]
    except Exception as error:  # as above
        raise rejections.corrupt(FORMAT_NAME) from error
    for name, content in attachments:
        if content:
            writer.add(name, iter((content,)))
    progress(1, 1)


def _load(path: Path) -> Any:
    require_size(path, FORMAT_NAME, _MAX_BYTES)
    oxmsg: Any = import_module("oxmsg")
    try:
        return oxmsg.Message.load(str(path))
    except Exception as error:  # as above
        raise rejections.corrupt(FORMAT_NAME) from error


def _recipient(recipient: Any) -> str:
    name, address = str(recipient.name or ""), str(recipient.email_address or "")
    address = _EXCHANGE_ADDRESS.sub("", address)
    return f"{name} <{address}>" if name and address and name != address else name or address


def _body(message: Any) -> str:
    """The plain text; the HTML if there is no plain text."""
    plain = str(message.body or "").strip()
    if plain:
        return escape_plain_text(plain.replace("\r\n", "\n"))
    html = message.html_body
    return convert_html(html.encode() if isinstance(html, str) else html).markdown if html else ""


def _content_id(attachment: Any) -> bool:
    # PidTagAttachContentId
    return bool(attachment.properties.str_prop_value(0x3712))
