"""Tells kinds of text apart: web page, mail, table, markdown, plain. Here the name has a say."""

from __future__ import annotations

import codecs
import re
from pathlib import PurePath

_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
# Tab, line ends, form feed, escape and the end sign of old editors do occur in text.
_CONTROLS = bytes(set(range(0x20)) - set(b"\t\n\r\x0b\x0c\x08\x1a\x1b")) + b"\x7f"
_MARKDOWN_NAMES = {".md", ".markdown", ".mdown", ".mkd", ".mdx", ".qmd", ".rmd"}
_TABLE_NAMES = {".csv": "text/csv", ".tsv": "text/tab-separated-values", ".tab": "text/tab-separated-values"}
_WEB_NAMES = {".html", ".htm", ".xhtml", ".xht"}
_MAIL_NAMES = {".eml", ".mht", ".mhtml"}
_OPENING = re.compile(
    r"\s*(?:<\?xml[^>]*>\s*|<!--.*?-->\s*)*<(!doctype\s+html|html|head|body|title|meta)\b", re.I | re.S
)
_ANY_TAG = re.compile(
    r"<(?:p|div|h[1-6]|table|ul|ol|span|a|br|section|article|main|body|html)\b[^<>]*>", re.I
)
_HEADER = re.compile(r"([!-9;-~]+):[ \t]?(.*)")
_MAIL_HEADERS = {
    "from", "to", "cc", "subject", "date", "received", "message-id", "mime-version", "return-path",
    "delivered-to", "reply-to", "content-type", "sender", "dkim-signature", "x-mailer", "in-reply-to",
}  # fmt: skip
_TELLING = {"received", "message-id", "return-path", "delivered-to", "mime-version", "from"}
_MARKDOWN_SIGNS = (
    re.compile(r"^#{1,6} \S", re.M),
    re.compile(r"^(?:```|~~~)", re.M),
    re.compile(r"\[[^\]\n]+\]\([^)\s]+\)"),
    re.compile(r"^\s{0,3}[-*+] \S", re.M),
    re.compile(r"^\|.*\|\s*$", re.M),
    re.compile(r"\*\*[^*\n]+\*\*"),
)


def text_type(head: bytes, name: str) -> str | None:
    """The kind of text the file begins with; None when it is no text."""
    text = _decoded(head)
    if text is None:
        return None
    suffix = PurePath(name).suffix.lower()
    if _is_web_page(text, suffix):
        return "text/html"
    if _is_mail(text, suffix):
        return "message/rfc822"
    if suffix in _TABLE_NAMES:
        return _TABLE_NAMES[suffix]
    if suffix in _MARKDOWN_NAMES:
        return "text/markdown"
    if suffix in (
        "",
        ".bin",
        ".dat",
        ".download",
        ".tmp",
        *_WEB_NAMES,
        *_MAIL_NAMES,
        ".pdf",
        ".docx",
        ".xlsx",
    ):
        # The name says nothing, or something wrong.
        return _table(text) or _markdown(text) or "text/plain"
    return "text/plain"


def _decoded(head: bytes) -> str | None:
    for mark, encoding in _MARKS:
        if head.startswith(mark):
            return head[len(mark) :].decode(encoding, "ignore")
    even, odd = head[::2].count(0), head[1::2].count(0)
    half = max(1, len(head) // 2)
    if max(even, odd) > 0.7 * half and min(even, odd) < 0.05 * half and len(head) > 3:
        return head.decode("utf-16-be" if even > odd else "utf-16-le", "ignore")
    strange = len(head) - len(head.translate(None, _CONTROLS))
    if 0 in head or strange * 200 > len(head):
        return None
    try:
        return head.decode("utf-8")
    except UnicodeDecodeError as error:
        # Cut in the middle of a letter at the end; anything else is an older code page.
        return head.decode("utf-8" if error.start >= len(head) - 3 else "latin-1", "ignore")


def _is_web_page(text: str, suffix: str) -> bool:
    if _OPENING.match(text[:8192]):
        return True
    return suffix in _WEB_NAMES and _ANY_TAG.search(text) is not None


def _is_mail(text: str, suffix: str) -> bool:
    names: list[str] = []
    for at, line in enumerate(text.split("\n")[:200]):
        line = line.rstrip("\r")
        if at == 0 and line.startswith("From ") and "@" in line:
            continue  # a mailbox file
        if not line:
            break
        if line[0] in " \t" and names:
            continue
        header = _HEADER.fullmatch(line)
        if header is None:
            return False
        names.append(header[1].lower())
    known = _MAIL_HEADERS.intersection(names)
    return bool(known) if suffix in _MAIL_NAMES else len(known) >= 3 and bool(known & _TELLING)


def _table(text: str) -> str | None:
    """At least 3 lines with the same number (2 or more) of the same delimiter."""
    lines = [line for line in text.split("\n")[:50] if line.strip()]
    lines = lines[:-1] if len(text) > 4000 else lines
    for delimiter, found in (("\t", "text/tab-separated-values"), (",", "text/csv"), (";", "text/csv")):
        counts = {line.count(delimiter) for line in lines}
        if len(lines) >= 3 and len(counts) == 1 and counts.pop() >= 2:
            return found
    return None


def _markdown(text: str) -> str | None:
    return "text/markdown" if sum(1 for sign in _MARKDOWN_SIGNS if sign.search(text)) >= 2 else None
