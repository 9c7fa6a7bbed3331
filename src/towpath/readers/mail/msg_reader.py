"""Reads Outlook messages (.msg): headers become fields, attachments become documents of their own."""

from __future__ import annotations

import codecs
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
from towpath.readers.mail.embedded_message import as_mail, embedded_message
from towpath.readers.mail.reader import name_of_message, write_message
from towpath.readers.text.reader import escape_plain_text

FORMAT_NAME = "Outlook message"

#: Code pages that Python has under another name than ``cp950``.
_CODE_PAGES = {
    "10000": "mac-roman",
    "20127": "ascii",
    "20866": "koi8-r",
    "21866": "koi8-u",
    "28591": "latin-1",
    "28592": "iso8859-2",
    "28595": "iso8859-5",
    "28605": "iso8859-15",
    "50220": "iso2022-jp",
    "51932": "euc-jp",
    "51949": "euc-kr",
    "52936": "hz",
    "54936": "gb18030",
    "65001": "utf-8",
}
# PidTagMessageCodepage, and the encoding of text without it.
_MESSAGE_CODE_PAGE = 0x3FFD
_LIBRARY_ENCODING = "iso-8859-15"
_MAX_BYTES = 512 << 20
#: The path of a mailbox inside an Exchange server: no address to which anybody can write.
_EXCHANGE_ADDRESS = re.compile(r"(?<!\s)\s*<?/o=[^>]*>?", re.IGNORECASE)


def _codec_of_code_page(name: str) -> codecs.CodecInfo | None:
    """The codec for the name that the library makes of a code page: ``windows-950``, ``windows-65001``."""
    page = name.removeprefix("windows_").removeprefix("windows-")
    if page == name or not page.isdecimal():
        return None
    try:
        return codecs.lookup(_CODE_PAGES.get(page, f"cp{page}"))
    except LookupError:
        return None


codecs.register(_codec_of_code_page)


def read_msg(path: Path, progress: Callable[[int, int], None]) -> Extraction:
    """Read the message as a mail: subject, headers, text and the names of its attachments."""
    message = _load(path)
    try:
        headers = _headers(message)
        body = _body(message)
        names = [_file_name(message, attachment) for attachment in message.attachments]
    except Exception as error:  # the library raises many kinds of errors on damaged files
        raise rejections.corrupt(FORMAT_NAME) from error
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
            (_file_name(message, attachment), _content(attachment))
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


def _headers(message: Any) -> dict[str, str]:
    """The headers that are shown, without empty ones."""
    decoded = _header_decoder(message)
    date = message.sent_date
    headers = {
        "From": _EXCHANGE_ADDRESS.sub("", decoded(str(message.sender or ""))),
        "To": decoded(", ".join(_recipient(recipient) for recipient in message.recipients)),
        "Date": date.isoformat() if date else "",
        "Subject": decoded(str(message.subject or "")),
    }
    return {name: " ".join(value.split()) for name, value in headers.items() if value.strip()}


def _file_name(message: Any, attachment: Any) -> str:
    """The name of an attached file; of an attached message, its subject."""
    inner = embedded_message(attachment)
    if inner is not None:
        return name_of_message(_headers(inner).get("Subject", ""))
    return _header_decoder(message)(str(attachment.file_name or "attachment"))


def _content(attachment: Any) -> bytes | None:
    inner = embedded_message(attachment)
    return attachment.file_bytes if inner is None else as_mail(inner, _headers, _file_name)


def _header_decoder(message: Any) -> Callable[[str], str]:
    """Decodes text of messages that are not in Unicode as the body, if they do not name the code page of the rest.

    The library takes Latin text then.
    """
    code_page = message.properties.int_prop_value(_MESSAGE_CODE_PAGE)
    encoding = message.properties.body_encoding

    def decoded(text: str) -> str:
        if text.isascii() or code_page is not None:
            return text
        try:
            return text.encode(_LIBRARY_ENCODING).decode(encoding)
        except (UnicodeError, LookupError):
            return text

    return decoded


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
