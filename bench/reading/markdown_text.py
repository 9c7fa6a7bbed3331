"""Markdown as plain text: without link addresses, images, rules of tables and marks of emphasis."""

from __future__ import annotations

import re

_IMAGE = re.compile(r"!\[[^\]]*\]\([^)]*\)|\[Image: [^\]]*\]")
_LINK = re.compile(r"\[((?:[^\]\\]|\\.)*)\]\([^)\s]*\)")
_TABLE_RULE = re.compile(r"^\s*\|?[\s|:-]+$", re.MULTILINE)
_NOTE = re.compile(r"\[\^\d+\]:?")
_MARKS = re.compile(r"[*`\\]|__")


def plain_text(markdown: str) -> str:
    text = _LINK.sub(r"\1", _IMAGE.sub("", markdown))
    text = _NOTE.sub("", _TABLE_RULE.sub("", text))
    return _MARKS.sub("", text).replace("|", " ")
