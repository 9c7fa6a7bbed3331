"""Reads mail messages: headers become fields, the longer alternative the body, attachments a list of names."""

from __future__ import annotations

import re
from collections.abc import Callable
from email.errors import MessageError
from email.header import decode_header
from email.message import Message
from email.utils import parsedate_to_datetime
from pathlib import Path

from towpath import rejections
from towpath.model.content import Extraction, Field
from towpath.readers.common import markdown_writer
from towpath.readers.common.encoding import decode
from towpath.readers.html.reader import convert_html
from towpath.readers.mail.mime_parts import MAX_PARTS, MimePart, read_parts
from towpath.readers.text.reader import escape_plain_text

FORMAT_NAME = "mail message"

_SHOWN_HEADERS = ("From", "To", "Cc", "Date", "Subject")
_MAX_VALUE_LENGTH = 10_000
_MAX_NAME_LENGTH = 80


def read_mail(path: Path, progress: Callable[[int, int], None]) -> Extraction:
    """Read the message as markdown; each field has the span of its text there."""
    if path.stat().st_size == 0:
        raise rejections.empty(FORMAT_NAME)
    with path.open("rb") as file:
        message, *parts = read_parts(file)
    headers = {name: value for name in _SHOWN_HEADERS if (value := header_text(message.headers, name))}
    texts = [part for part in parts if part.is_text]
    body = "\n\n".join(
        filter(None, (_body_text(alternatives) for alternatives in _group_alternatives(texts)))
    )
    attachment_names = [name for part in parts if not part.is_text and (name := attachment_name(part))]
    if not headers or not (body or attachment_names or "Subject" in headers):
        raise rejections.empty(FORMAT_NAME)
    progress(1, 1)
    text, fields = write_message(headers, body, attachment_names)
    return Extraction(
        markdown=text,
        engine="towpath-mail/1",
        fields=fields,
        metadata=_metadata(message.headers, headers),
        warnings=_warnings(parts),
    )


def _warnings(parts: list[MimePart]) -> tuple[str, ...]:
    if len(parts) < MAX_PARTS:
        return ()
    return (f"Only the first {MAX_PARTS} parts of this message were read.",)


def write_message(
    headers: dict[str, str], body: str, attachment_names: list[str]
) -> tuple[str, tuple[Field, ...]]:
    """The markdown of a message and its header fields, each with its span there."""
    fields: list[Field] = []
    text = ""
    if subject := headers.get("Subject"):
        text = f"# {markdown_writer.escape_inline(subject)}\n\n"
        fields.append(Field("Subject", subject, start=2, end=len(text) - 2))
    for name, value in headers.items():
        if name != "Subject":
            text += f"- **{name}:** "
            markdown = markdown_writer.escape_inline(value)
            kind = "date" if name == "Date" else "text"
            fields.append(Field(name, value, kind=kind, start=len(text), end=len(text) + len(markdown)))
            text += markdown + "\n"
    text = text.rstrip("\n")
    if body:
        text += "\n\n" + body
    if attachment_names:
        text += "\n\nAttachments:\n\n" + "\n".join(
            f"- {markdown_writer.escape_inline(name)}" for name in attachment_names
        )
    order = {name: index for index, name in enumerate(_SHOWN_HEADERS)}
    return text, tuple(sorted(fields, key=lambda field: order[field.name]))


def _group_alternatives(texts: list[MimePart]) -> list[list[MimePart]]:
    """Group the text parts in order; alternatives of the same content form one group."""
    groups: list[list[MimePart]] = []
    for part in texts:
        if (
            groups
            and _alternative_path(part)
            and _alternative_path(part) == _alternative_path(groups[-1][-1])
        ):
            groups[-1].append(part)
        else:
            groups.append([part])
    return groups


def _alternative_path(part: MimePart) -> tuple[str, ...]:
    """The path to the enclosing ``multipart/alternative``; empty if there is none."""
    kind = "multipart/alternative"
    return part.enclosing[: part.enclosing.index(kind) + 1] if kind in part.enclosing else ()


def _body_text(alternatives: list[MimePart]) -> str:
    """The plain text, unless the HTML has over twice the words: plain parts are often only a link."""
    plain_texts = [_plain_text(part) for part in alternatives if part.content_type != "text/html"]
    html_texts = [_html_text(part) for part in alternatives if part.content_type == "text/html"]
    plain_text, html_text = "\n\n".join(filter(None, plain_texts)), "\n\n".join(filter(None, html_texts))
    return plain_text if len(plain_text.split()) * 2 >= len(html_text.split()) else html_text


def _plain_text(part: MimePart) -> str:
    text = decode(part.body(), part.headers.get_content_charset()).text
    if str(part.headers.get_param("format") or "").lower() == "flowed":
        text = text.replace(" \n", " ")
    return escape_plain_text(text.strip("\n"))


def _html_text(part: MimePart) -> str:
    return convert_html(part.body(), part.headers.get_content_charset()).markdown


def attachment_name(part: MimePart) -> str:
    """The file name of an attachment, or its media type in parentheses."""
    try:
        name = part.headers.get_filename()
    except (ValueError, LookupError, TypeError):
        name = None
    return _decode_words(name or "") or f"({markdown_writer.remove_control_characters(part.content_type)})"


def name_of_message(subject: str) -> str:
    """The file name of a message that has none: its subject, without characters that divide paths."""
    words = " ".join(re.sub(r"[/\\:*?\"<>|]", " ", subject).split())[:_MAX_NAME_LENGTH].rstrip(" .")
    return f"{words}.eml" if words else "message.eml"


def header_text(message: Message, name: str) -> str:
    """The decoded value of a header; several are joined with commas."""
    return ", ".join(filter(None, (_decode_words(str(value)) for value in (message.get_all(name) or [])[:5])))


def _decode_words(value: str) -> str:
    """Decode RFC 2047 encoded words; invalid ones stay unchanged."""
    value = value[:_MAX_VALUE_LENGTH].encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    try:
        words = decode_header(value)
    except (ValueError, MessageError):
        words = [(value, None)]
    text = "".join(word if isinstance(word, str) else decode(word, charset).text for word, charset in words)
    return " ".join(markdown_writer.remove_control_characters(text).split())


def _metadata(message: Message, headers: dict[str, str]) -> dict[str, str]:
    metadata = {"title": headers.get("Subject", ""), "authors": headers.get("From", "")}
    try:
        metadata["date"] = parsedate_to_datetime(headers.get("Date", "")).isoformat()
    except (ValueError, TypeError, OverflowError, IndexError):
        metadata["date"] = headers.get("Date", "")
    metadata["identifier"] = header_text(message, "Message-ID")
    return {name: value for name, value in metadata.items() if value}
