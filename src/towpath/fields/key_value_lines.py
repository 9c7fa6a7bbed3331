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
#: A more frequent key is a column of a list, not a property of the document. "Week 1" and "Week 2" count as one key.
_MAX_PER_KEY = 3
_DIGITS = re.compile(r"\d+")
#: A caption, or the number of a heading: "Fig. 3", "Table II", "V. RQ2".
_CAPTION = re.compile(
    r"(?:fig(?:ure|\.)?|table|tab\.|tableau|tabelle|abb(?:ildung|\.)?|figura|tabla|tabella|diagram|chart|exhibit|listing"
    r"|algorithm|theorem|lemma|definition|рис(?:унок|\.)?|таблица)\s?(?:\d|[IVX]+\b)|(?:\d{1,2}|[IVX]{1,4})\.\s",
    re.IGNORECASE,
)
_SPACED_LETTERS = re.compile(r"(?:\w ){3,}")
#: Another label within the value: two fields of a form in one line, whose border is not known.
_INNER_LABEL = re.compile(r"(?:\A|\s)[^\W\d_][\w.#°º]{1,20}\s?[:：](?:\s|\Z)")
_ABBREVIATION = re.compile(r"(?:\A|[\s(.])(?:[A-Z]\w{0,3}|\w)\.\Z")
#: The last word of a line that goes on in the next one.
_OPEN_END = re.compile(
    r"\w-\Z|\s(?:the|a|an|of|to|and|or|in|for|with|from|by|at|on|when|und|der|die|das|von|mit|für|zu|et|de|la|le|les|du"
    r"|des|pour|avec|y|el|los|las|del|con|para|e|di|il|che|per|da|do|dos|na)\Z",
    re.IGNORECASE,
)


def key_value_pairs(text: str) -> Iterator[FieldMatch]:
    pairs = list(_pairs(text))
    counts = Counter(_DIGITS.sub("#", match.name) for match in pairs)
    return (match for match in pairs if counts[_DIGITS.sub("#", match.name)] <= _MAX_PER_KEY)


def _pairs(text: str) -> Iterator[FieldMatch]:
    scanned_to = 0
    for colon in islice(_COLON.finditer(text), MAX_CANDIDATES):
        line_start = text.rfind("\n", max(0, colon.start() - _MAX_KEY_LENGTH), colon.start()) + 1
        if line_start < scanned_to or (line_start == 0 and colon.start() > _MAX_KEY_LENGTH):
            continue
        match = _LINE.match(text, line_start)
        scanned_to = line_start + 1
        key = " ".join(match["key"].split()) if match else ""
        value = match["value"].rstrip().rstrip("*_").rstrip() if match else ""
        if match and _is_label(key, bool(match["bold"])) and _is_value(value):
            start = match.start("value")
            end = start + len(value)
            yield FieldMatch(key, _ESCAPE.sub(r"\1", value), "text", 0.6, start, end)


def _is_label(key: str, bold: bool) -> bool:
    if len(key) < 2 or key.casefold() in _REMARKS or _CAPTION.match(key) or _SPACED_LETTERS.search(key):
        return False
    return bold or (len(key.split()) <= 4 and not key[0].islower())


def _is_value(value: str) -> bool:
    words = len(value.split())
    if _MARKUP.search(value) or _INNER_LABEL.search(value) or _OPEN_END.search(value):
        return False
    if words > 15 or len(value) > 120 or _PROSE.search(value) or not any(map(str.isalnum, value)):
        return False
    # A long value that begins in lower case or ends with a full stop is the rest of a sentence.
    is_sentence = value.endswith((".", "!", "?", ":", ";")) and not _ABBREVIATION.search(value)
    return words <= 4 or not (value[0].islower() or is_sentence)
