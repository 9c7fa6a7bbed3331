"""Joins accents with their letters where TeX set them as separate characters: "M´ario", "fac¸ade".

TeX sets them so with its old fonts, Computer Modern. In other fonts these characters are typed as apostrophes or
quotation marks, so only pages with Computer Modern are changed.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

_COMPUTER_MODERN = re.compile(r"(?:^|\+)CM(?:R|B|BX|BXTI|SL|TI|CSC|SS|SSBX|SSI|DUNH|U)\d+$")
#: Accents that TeX sets before their letter, and the cedilla, which it sets behind it.
_COMBINING = {
    "´": "\u0301",
    "`": "\u0300",
    "¨": "\u0308",
    "ˆ": "\u0302",
    "˜": "\u0303",
    "ˇ": "\u030c",
    "˘": "\u0306",
    "¯": "\u0304",
    "˙": "\u0307",
    "˝": "\u030b",
    "˚": "\u030a",
    "¸": "\u0327",
}
_ACCENT_AND_LETTER = re.compile(r"(?<!/)([´`¨ˆ˜ˇ˘¯˙˝˚])([A-Za-zıȷ])|([A-Za-z])(¸)")
_DOTLESS = {"ı": "i", "ȷ": "j"}


def has_separate_accents(fonts: Iterable[str], texts: Iterable[str]) -> bool:
    """True if a page has a font of TeX that has no letters with accents, and accents."""
    return any(map(_COMPUTER_MODERN.search, fonts)) and any(map(_ACCENT_AND_LETTER.search, texts))


def join_accents(text: str) -> str:
    """The text with each accent on its letter; pairs that are no letter stay."""
    return _ACCENT_AND_LETTER.sub(_letter, text)


def _letter(match: re.Match[str]) -> str:
    accent, letter = (match[1], match[2]) if match[1] else (match[4], match[3])
    composed = unicodedata.normalize("NFC", _DOTLESS.get(letter, letter) + _COMBINING[accent])
    return composed if len(composed) == 1 else match[0]
