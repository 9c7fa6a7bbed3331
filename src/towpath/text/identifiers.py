"""Finds identifiers and compounds in a text and joins their parts: ``INV-2024/001`` is also ``inv2024001``.

Both a text and a query are read with and without the separators, so that an identifier is found in every spelling:
hyphens, underscores, dots, slashes, blanks between the groups of an IBAN, e-mail addresses, paths and camelCase.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

#: Longer joined forms are sentences or encoded data.
MAX_JOINED_LENGTH = 64
MIN_JOINED_LENGTH = 3
#: A group of digits is joined with the word before it, as in `RFC 2119`, if the groups have this many digits.
MIN_DIGITS = 3

_SEPARATORS = "\\-_./:@+\\\\#&'’~\u00ad\u2010-\u2015"
_BLANKS = " \u00a0\u2009\u202f"
_COMPOUND = re.compile(f"(?<![^\\W_])[^\\W_]+(?:[{_SEPARATORS}]{{1,3}}[^\\W_]+)+")
_IBAN = re.compile(
    f"(?<![A-Za-z0-9])[A-Z]{{2}}\\d{{2}}(?:[{_BLANKS}-]?[A-Z0-9]{{4}}){{2,7}}"
    f"(?:[{_BLANKS}-]?[A-Z0-9]{{1,4}})?(?![A-Za-z0-9])"
)
_GROUPS = re.compile(
    "(?<![A-Za-z0-9])(?:[A-Za-z]{1,5}|[A-Za-z]{0,4}\\d[A-Za-z0-9]*)"
    f"(?:[{_BLANKS}{_SEPARATORS}()]{{1,2}}[A-Za-z]{{0,3}}\\d[A-Za-z0-9]*){{1,9}}(?![A-Za-z0-9])"
)
_CAMEL_CASE = re.compile("[a-z0-9][A-Z]|[A-Z][A-Z][a-z]")
_CAMEL_PARTS = re.compile("[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_FIRST_WORD = re.compile(f"[A-Za-z]+[{_BLANKS}{_SEPARATORS}()]+")
_PREFIXED = re.compile(r"[A-Za-z]{1,5}(\d[A-Za-z0-9]{4,})")
_DIGIT = re.compile(r"\d")
_NOT_ALPHANUMERIC = re.compile(r"[\W_]+")

#: A joined form, and its start and end offset.
Joined = tuple[str, int, int]


def joined_identifiers(text: str) -> Iterator[Joined]:
    """The identifiers and compounds of a text without their separators."""
    for pattern in (_COMPOUND, _IBAN):
        for match in pattern.finditer(text):
            yield from _joined(match[0], match.start())
    for match in _GROUPS.finditer(text):
        if len(_DIGIT.findall(match[0])) >= MIN_DIGITS:
            yield from _joined(match[0], match.start())
            # The word before the groups may belong to the sentence: `account 4711 0815`.
            if (first := _FIRST_WORD.match(match[0])) is not None:
                yield from _joined(match[0][first.end() :], match.start() + first.end())


def _joined(identifier: str, start: int) -> Iterator[Joined]:
    joined = _NOT_ALPHANUMERIC.sub("", identifier)
    if MIN_JOINED_LENGTH <= len(joined) <= MAX_JOINED_LENGTH:
        yield joined, start, start + len(identifier)


def camel_case_parts(word: str) -> list[tuple[str, int, int]]:
    """The parts of a word in camelCase with their offsets in the word; the empty list for other words."""
    if not _CAMEL_CASE.search(word):
        return []
    parts = [(match[0], match.start(), match.end()) for match in _CAMEL_PARTS.finditer(word)]
    # Single letters are abbreviations such as `McK`, not words.
    return parts if len(parts) > 1 and all(len(part) > 1 for part, _, _ in parts) else []


def adjacent_joins(words: list[str], most: int = 10) -> Iterator[tuple[str, int, int]]:
    """Every join of adjacent words of a query that contains digits, with the range of its words.

    A person may write the groups of an identifier with other blanks than the text has.
    """
    for start in range(len(words)):
        joined = words[start]
        for end in range(start + 1, min(len(words), start + most)):
            joined += words[end]
            if len(joined) > MAX_JOINED_LENGTH:
                break
            if len(joined) > MIN_JOINED_LENGTH and _DIGIT.search(joined):
                yield joined, start, end + 1


def without_prefix(word: str) -> str:
    """``sn00427781xk`` without the letters before its digits; empty if the rest is too short for an identifier.

    They may stand apart in a text, as in `SN 0042-7781-XK`.
    """
    match = _PREFIXED.fullmatch(word)
    return match[1] if match is not None and len(_DIGIT.findall(match[1])) >= MIN_DIGITS else ""
