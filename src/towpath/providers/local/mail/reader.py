"""Reads one message: headers become fields, the better of its texts the body, attachments a list of names."""

from __future__ import annotations

from collections.abc import Callable
from email.errors import MessageError
from email.header import decode_header
from email.message import Message
from email.utils import parsedate_to_datetime
from pathlib import Path

from towpath.model.content import Extraction, Field
from towpath.providers.local import markdown, refusals
from towpath.providers.local.decode import decode
from towpath.providers.local.html import web_text
from towpath.providers.local.mail.parts import MOST_PARTS, Part, read_parts
from towpath.providers.local.text import plain

WHAT = "mail message"

_SHOWN = ("From", "To", "Cc", "Date", "Subject")
_LONGEST_VALUE = 10_000


def read_mail(path: Path, progress: Callable[[int, int], None]) -> Extraction:
    """The message as markdown; each field points at its words there."""
    if path.stat().st_size == 0:
        raise refusals.empty(WHAT)
    with path.open("rb") as file:
        message, *parts = read_parts(file)
    headers = {name: value for name in _SHOWN if (value := _header(message.headers, name))}
    texts = [part for part in parts if part.is_text]
    body = "\n\n".join(filter(None, (_written(chosen) for chosen in _chosen(texts))))
    names = [name for part in parts if not part.is_text and (name := _name(part))]
    if not headers or not (body or names or "Subject" in headers):
        raise refusals.empty(WHAT)
    progress(1, 1)
    text, fields = _composed(headers, body, names)
    return Extraction(
        markdown=text,
        engine="towpath-mail/1",
        fields=fields,
        metadata=_metadata(message.headers, headers),
        warnings=_warnings(parts),
    )


def _warnings(parts: list[Part]) -> tuple[str, ...]:
    if len(parts) < MOST_PARTS:
        return ()
    return (f"This message has very many parts; only the first {MOST_PARTS} were looked at.",)


def _composed(headers: dict[str, str], body: str, names: list[str]) -> tuple[str, tuple[Field, ...]]:
    fields: list[Field] = []
    text = ""
    if subject := headers.get("Subject"):
        text = f"# {markdown.escape(subject)}\n\n"
        fields.append(Field("Subject", subject, start=2, end=len(text) - 2))
    for name, value in headers.items():
        if name != "Subject":
            text += f"- **{name}:** "
            shown = markdown.escape(value)
            kind = "date" if name == "Date" else "text"
            fields.append(Field(name, value, kind=kind, start=len(text), end=len(text) + len(shown)))
            text += shown + "\n"
    text = text.rstrip("\n")
    if body:
        text += "\n\n" + body
    if names:
        text += "\n\nAttachments:\n\n" + "\n".join(f"- {markdown.escape(name)}" for name in names)
    order = {name: place for place, name in enumerate(_SHOWN)}
    return text, tuple(sorted(fields, key=lambda field: order[field.name]))


def _chosen(texts: list[Part]) -> list[list[Part]]:
    """Parts in order; those that say the same in two ways stand together, for the better to be chosen."""
    groups: list[list[Part]] = []
    for part in texts:
        if groups and _alternative(part) and _alternative(part) == _alternative(groups[-1][-1]):
            groups[-1].append(part)
        else:
            groups.append([part])
    return groups


def _alternative(part: Part) -> tuple[str, ...]:
    """The way down to the choice that this part belongs to; empty when it belongs to none."""
    kind = "multipart/alternative"
    return part.around[: part.around.index(kind) + 1] if kind in part.around else ()


def _written(alternatives: list[Part]) -> str:
    """The plain text, unless the HTML says much more: plain halves are often only a pointer to a web page."""
    plains = [_plain(part) for part in alternatives if part.content_type != "text/html"]
    webs = [_web(part) for part in alternatives if part.content_type == "text/html"]
    plain_text, web = "\n\n".join(filter(None, plains)), "\n\n".join(filter(None, webs))
    return plain_text if len(plain_text.split()) * 2 >= len(web.split()) else web


def _plain(part: Part) -> str:
    text = decode(part.body(), part.headers.get_content_charset()).text
    if str(part.headers.get_param("format") or "").lower() == "flowed":
        text = text.replace(" \n", " ")
    return plain(text.strip("\n"))


def _web(part: Part) -> str:
    return web_text(part.body(), part.headers.get_content_charset()).markdown


def _name(part: Part) -> str:
    """What an attachment is called; a forwarded message or a part without a name is called by its type."""
    try:
        name = part.headers.get_filename()
    except (ValueError, LookupError, TypeError):
        name = None
    return _decoded(name or "") or f"({markdown.clean(part.content_type)})"


def _header(message: Message, name: str) -> str:
    return ", ".join(filter(None, (_decoded(str(value)) for value in (message.get_all(name) or [])[:5])))


def _decoded(value: str) -> str:
    """Encoded words as text; what cannot be decoded stays as it is."""
    value = value[:_LONGEST_VALUE].encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    try:
        pieces = decode_header(value)
    except (ValueError, MessageError):
        pieces = [(value, None)]
    text = "".join(
        piece if isinstance(piece, str) else decode(piece, charset).text for piece, charset in pieces
    )
    return " ".join(markdown.clean(text).split())


def _metadata(message: Message, headers: dict[str, str]) -> dict[str, str]:
    facts = {"title": headers.get("Subject", ""), "authors": headers.get("From", "")}
    try:
        facts["date"] = parsedate_to_datetime(headers.get("Date", "")).isoformat()
    except (ValueError, TypeError, OverflowError, IndexError):
        facts["date"] = headers.get("Date", "")
    facts["identifier"] = _header(message, "Message-ID")
    return {name: value for name, value in facts.items() if value}
