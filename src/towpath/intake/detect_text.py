"""Detects the kind of a text file: web page, mail, table, markdown or plain, by content and name."""

from __future__ import annotations

import codecs
import re
from pathlib import PurePath

from towpath.intake.detect_structured_text import structured_text_type

_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
# Control characters except tab, line ends, form feed, escape and the end mark of old editors.
_CONTROLS = bytes(set(range(0x20)) - set(b"\t\n\r\x0b\x0c\x08\x1a\x1b")) + b"\x7f"
_MARKDOWN_SUFFIXES = {".md", ".markdown", ".mdown", ".mkd", ".mdx", ".qmd", ".rmd"}
_TABLE_SUFFIXES = {
    ".csv": "text/csv",
    ".tsv": "text/tab-separated-values",
    ".tab": "text/tab-separated-values",
}
_HTML_SUFFIXES = {".html", ".htm", ".xhtml", ".xht"}
_MAIL_SUFFIXES = {".eml", ".mht", ".mhtml"}
_HTML_START = re.compile(
    r"\s*(?:<\?xml[^>]*>\s*|<!--.*?-->\s*)*<(!doctype\s+html|html|head|body|title|meta)\b", re.I | re.S
)
_ANY_TAG = re.compile(
    r"<(?:p|div|h[1-6]|table|ul|ol|span|a|br|section|article|main|body|html)\b[^<>]*>", re.I
)
# The separator line of a mailbox file: an address, or a dash, and a date as ctime() writes it.
_MAILBOX_START = re.compile(r"From \S+ +\w{3} \w{3} +\d")
_HEADER = re.compile(r"([!-9;-~]+):[ \t]?(.*)")
_MAIL_HEADERS = {
    "from", "to", "cc", "subject", "date", "received", "message-id", "mime-version", "return-path",
    "delivered-to", "reply-to", "content-type", "sender", "dkim-signature", "x-mailer", "in-reply-to",
}  # fmt: skip
_DISTINCTIVE_MAIL_HEADERS = {"received", "message-id", "return-path", "delivered-to", "mime-version", "from"}
_MARKDOWN_PATTERNS = (
    re.compile(r"^#{1,6} \S", re.M),
    re.compile(r"^(?:```|~~~)", re.M),
    re.compile(r"\[[^\[\]\n]{1,500}\]\([^()\s]{1,1000}\)"),
    re.compile(r"^\s{0,3}[-*+] \S", re.M),
    re.compile(r"^\|.*\|\s*$", re.M),
    re.compile(r"\*\*[^*\n]+\*\*"),
)


def text_type(head: bytes, name: str) -> str | None:
    """The media type of a text file; None if the bytes are not text."""
    text = _decode(head)
    if text is None:
        return None
    suffix = PurePath(name).suffix.lower()
    if _is_html(text, suffix):
        return "text/html"
    if structured := structured_text_type(text, suffix):
        return structured
    if _is_mail(text, suffix):
        if _is_web_archive(text, suffix):
            return "application/x-mimearchive"
        is_mailbox = suffix == ".mbox" or _MAILBOX_START.match(text) is not None
        return "application/mbox" if is_mailbox else "message/rfc822"
    if suffix in _TABLE_SUFFIXES:
        return _TABLE_SUFFIXES[suffix]
    if suffix in _MARKDOWN_SUFFIXES:
        return "text/markdown"
    if suffix in (
        "",
        ".bin",
        ".dat",
        ".download",
        ".tmp",
        *_HTML_SUFFIXES,
        *_MAIL_SUFFIXES,
        ".pdf",
        ".docx",
        ".xlsx",
    ):
        # The suffix is missing, meaningless or wrong.
        return _detect_table(text) or _detect_markdown(text) or "text/plain"
    return "text/plain"


def _decode(head: bytes) -> str | None:
    for mark, encoding in _BYTE_ORDER_MARKS:
        if head.startswith(mark):
            return head[len(mark) :].decode(encoding, "ignore")
    even, odd = head[::2].count(0), head[1::2].count(0)
    half = max(1, len(head) // 2)
    if max(even, odd) > 0.7 * half and min(even, odd) < 0.05 * half and len(head) > 3:
        return head.decode("utf-16-be" if even > odd else "utf-16-le", "ignore")
    controls = len(head) - len(head.translate(None, _CONTROLS))
    if 0 in head or controls * 200 > len(head):
        return None
    try:
        return head.decode("utf-8")
    except UnicodeDecodeError as error:
        # An error in the last 3 bytes is a cut character. Any other error means an older code page.
        return head.decode("utf-8" if error.start >= len(head) - 3 else "latin-1", "ignore")


def _is_html(text: str, suffix: str) -> bool:
    if _HTML_START.match(text[:8192]):
        return True
    return suffix in _HTML_SUFFIXES and _ANY_TAG.search(text) is not None


def _is_web_archive(text: str, suffix: str) -> bool:
    headers = text.partition("\n\n")[0].replace("\r", "").lower()
    is_related = "content-type: multipart/related" in headers
    is_saved_page = "snapshot-content-location:" in headers or "saved by" in headers
    return is_related and (is_saved_page or suffix in (".mht", ".mhtml"))


def _is_mail(text: str, suffix: str) -> bool:
    names: list[str] = []
    for index, line in enumerate(text.split("\n")[:200]):
        line = line.rstrip("\r")
        if index == 0 and line.startswith("From ") and ("@" in line or _MAILBOX_START.match(line)):
            continue  # the separator line of a mailbox file
        if not line:
            break
        if line[0] in " \t" and names:
            continue
        header = _HEADER.fullmatch(line)
        if header is None:
            return False
        names.append(header[1].lower())
    known = _MAIL_HEADERS.intersection(names)
    return (
        bool(known)
        if suffix in _MAIL_SUFFIXES
        else len(known) >= 3 and bool(known & _DISTINCTIVE_MAIL_HEADERS)
    )


def _detect_table(text: str) -> str | None:
    """At least 3 lines with the same number (2 or more) of the same delimiter."""
    lines = [line for line in text.split("\n")[:50] if line.strip()]
    lines = lines[:-1] if len(text) > 4000 else lines
    for delimiter, table_type in (("\t", "text/tab-separated-values"), (",", "text/csv"), (";", "text/csv")):
        counts = {line.count(delimiter) for line in lines}
        if len(lines) >= 3 and len(counts) == 1 and counts.pop() >= 2:
            return table_type
    return None


def _detect_markdown(text: str) -> str | None:
    return "text/markdown" if sum(1 for sign in _MARKDOWN_PATTERNS if sign.search(text)) >= 2 else None
