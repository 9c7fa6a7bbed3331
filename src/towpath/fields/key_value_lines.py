"""Finds lines of the form ``Key: value``, as in forms and letterheads; sentences are ignored."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from itertools import islice

from towpath.fields.field_match import MAX_CANDIDATES, FieldMatch

_LINE = re.compile(
    r"[ \t]{0,8}(?:[-*+•][ \t])?(?P<bold>\*\*|__)?(?P<key>[^\W\d_][\w ./&'’()#°º-]{0,38}?)(?:\*\*|__)?"
    r"[ \t]{0,3}[:：](?:\*\*|__)?[ \t]{1,20}(?P<value>\S[^\n]{0,199})(?![^\n])"
)
_COLON = re.compile(r"[:：](?:\*\*|__)?[ \t]")
_MAX_KEY_LENGTH = 60
_PROSE = re.compile(r"[^\W\d_]{2}[.!?][\"'”’)]?\s+[A-ZÀ-Þ]|[。！？]|\.{4}")
# Markup inside a value means that the line is more than a label and its value.
_MARKUP = re.compile(r"\*\*|__|`|\]\(|\||\\[\\*_`\[\]|]|https?://")
_ESCAPE = re.compile(r"\\([<>#+.()!~&-])")
_REMARKS = frozenset(
    ("note", "notes", "tip", "warning", "caution", "important", "example", "see also", "main article",
     "main articles", "hint", "limitation", "hinweis", "achtung", "beispiel", "remarque", "attention", "nota",
     "re", "aw", "fw", "fwd", "wg", "sv", "tr")
)  # fmt: skip
#: A more frequent key is a column of a list, not a property of the document.
_MAX_PER_KEY = 5


def key_value_pairs(text: str) -> Iterator[FieldMatch]:
    scanned_to = 0
    counts: Counter[str] = Counter()
    for colon in islice(_COLON.finditer(text), MAX_CANDIDATES):
        line_start = text.rfind("\n", max(0, colon.start() - _MAX_KEY_LENGTH), colon.start()) + 1
        if line_start < scanned_to or (line_start == 0 and colon.start() > _MAX_KEY_LENGTH):
            continue
        match = _LINE.match(text, line_start)
        scanned_to = line_start + 1
        key = " ".join(match["key"].split()) if match else ""
        value = match["value"].rstrip().rstrip("*_").rstrip() if match else ""
        if match and _is_label(key, bool(match["bold"])) and _is_value(value):
            counts[key] += 1
            if counts[key] > _MAX_PER_KEY:
                continue
            start = match.start("value")
            end = start + len(value)
            yield FieldMatch(key, _ESCAPE.sub(r"\1", value), "text", 0.6, start, end)


def _is_label(key: str, bold: bool) -> bool:
    if len(key) < 2 or key.casefold() in _REMARKS:
        return False
    return bold or (len(key.split()) <= 4 and not key[0].islower())


def _is_value(value: str) -> bool:
    words = len(value.split())
    if _MARKUP.search(value):
        return False
    if words > 15 or len(value) > 120 or _PROSE.search(value) or not any(map(str.isalnum, value)):
        return False
    # A long value that begins in lower case or ends with a full stop is the rest of a sentence.
    return words <= 4 or not (value[0].islower() or (words > 7 and value.endswith((".", "!", "?", ":", ";"))))
