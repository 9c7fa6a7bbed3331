"""Splits text into words as both search indexes do, with bigrams for scripts that have no blanks between words.

Chinese, Japanese, Korean, Thai, Lao, Burmese and Khmer are split into overlapping bigrams: a word of any length
is then a phrase of bigrams, which is found exactly and without a dictionary.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

#: The content of a character class, for regular expressions and for SQLite's GLOB.
UNSEGMENTED = (
    "\u0e01-\u0e3a\u0e40-\u0e4e"  # Thai
    "\u0e81-\u0ebd\u0ec0-\u0ecd"  # Lao
    "\u1000-\u103f\u1050-\u109f"  # Burmese
    "\u1780-\u17d3"  # Khmer
    "\u3005-\u3007\u3041-\u3096\u3099-\u309a\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff"  # Japanese
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f"  # Han
    "\uac00-\ud7a3"  # Korean
    "\uff66-\uff9f"  # narrow Japanese
)

# Marks that are part of a word but not of Python's \w: accents, Hebrew and Arabic points,
# and the vowel signs from Devanagari to Sinhala.
_MARKS = "\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u0610-\u061a\u064b-\u065f\u0670\u0900-\u0963\u0966-\u0dff"

# Two steps: one expression for everything would backtrack at every letter and take four times as long.
_ASCII = re.compile("[A-Za-z0-9]+")
_LETTERS = re.compile(f"[\\w{_MARKS}{UNSEGMENTED}]+")
_PARTS = re.compile(f"[{UNSEGMENTED}]+|[^{UNSEGMENTED}_]+")
_BETWEEN_WORDS = re.compile(f"[^\\w{_MARKS}{UNSEGMENTED}]+|_+")
_UNSEGMENTED_CHARACTER = re.compile(f"[{UNSEGMENTED}]")
_ACCENTS = re.compile("[\u0300-\u0305\u0307-\u036f]|(?<=[a-z])\u0306")


#: Letters that have no accent to remove but are often written without their mark.
_PLAIN_LETTERS = str.maketrans({"ł": "l", "đ": "d", "ø": "o", "ı": "i", "ß": "ss", "æ": "ae", "œ": "oe"})

_SCRIPTS = (
    ("latin", re.compile("[a-z\u00df-\u024f\u1e00-\u1eff\u0300-\u036f]+")),
    ("cyrillic", re.compile("[\u0400-\u052f]+")),
    ("greek", re.compile("[\u0370-\u03ff\u1f00-\u1fff]+")),
    (
        "arabic",
        re.compile("[\u0610-\u061a\u0620-\u065f\u066e-\u06d3\u06d5-\u06ef\u06fa-\u06ff\u0750-\u077f]+"),
    ),
    ("hebrew", re.compile("[\u0591-\u05f4]+")),
    ("devanagari", re.compile("[\u0900-\u0965\u0970-\u097f]+")),
    ("armenian", re.compile("[\u0530-\u058f]+")),
    ("tamil", re.compile("[\u0b80-\u0bff]+")),
)

#: A word, and its start and end offset.
Word = tuple[str, int, int]


def words(text: str) -> Iterator[Word]:
    if text.isascii():
        for match in _ASCII.finditer(text):
            yield match[0], match.start(), match.end()
        return
    for match in _LETTERS.finditer(text):
        word, start = match[0], match.start()
        if "_" not in word and (word.isascii() or not _UNSEGMENTED_CHARACTER.search(word)):
            yield word, start, match.end()
        else:
            for part in _PARTS.finditer(word):
                yield part[0], start + part.start(), start + part.end()


def word_list(text: str) -> list[str]:
    """The words without offsets, in a third of the time."""
    return _ASCII.findall(text) if text.isascii() else [word for word, _, _ in words(text)]


def blank_separated(text: str) -> str:
    """The text with one blank in place of everything between words."""
    return _BETWEEN_WORDS.sub(" ", text).strip()


def is_unsegmented(word: str) -> bool:
    return not word.isascii() and _UNSEGMENTED_CHARACTER.match(word) is not None


def fold(word: str) -> str:
    """Removes case, and differences of writing that never matter: full width, ligatures, the points of ё."""
    lower = word.lower()
    if lower.isascii():
        return lower
    return unicodedata.normalize("NFKC", lower).lower().replace("\u0307", "").replace("ё", "е")


def without_accents(word: str) -> str:
    """Removes accents. The breve of й stays: й is a separate letter, and endings depend on it."""
    if word.isascii():
        return word
    plain = unicodedata.normalize("NFC", _ACCENTS.sub("", unicodedata.normalize("NFD", word)))
    return plain.translate(_PLAIN_LETTERS)


def script_of(word: str) -> str | None:
    """The script of a word's letters if it is one whose words have endings; None for others and for numbers."""
    if word.isascii():
        return "latin" if word.isalpha() else None
    for name, pattern in _SCRIPTS:
        if pattern.fullmatch(word):
            return name
    return None


def bigrams(run: str) -> list[str]:
    """The overlapping bigrams of a run; a single character is returned as it is."""
    return [run[start : start + 2] for start in range(len(run) - 1)] or [run]
