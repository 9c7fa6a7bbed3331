"""Which letters make words, and which scripts run on without blanks: the same as in both engines' indexes.

Chinese, Japanese, Korean, Thai, Lao, Burmese and Khmer are cut into overlapping pairs of letters: a word
of any length is then a phrase of pairs, found exactly and without a dictionary.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

#: For a character class, in a regular expression as well as in SQLite's GLOB.
RUN_ON = (
    "\u0e01-\u0e3a\u0e40-\u0e4e"  # Thai
    "\u0e81-\u0ebd\u0ec0-\u0ecd"  # Lao
    "\u1000-\u103f\u1050-\u109f"  # Burmese
    "\u1780-\u17d3"  # Khmer
    "\u3005-\u3007\u3041-\u3096\u3099-\u309a\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff"  # Japanese
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f"  # Han
    "\uac00-\ud7a3"  # Korean
    "\uff66-\uff9f"  # narrow Japanese
)

# Marks that are part of a word though Python's \w leaves them out: accents, Hebrew and Arabic points,
# and the vowel signs from Devanagari to Sinhala.
_MARKS = "\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u0610-\u061a\u064b-\u065f\u0670\u0900-\u0963\u0966-\u0dff"

# Two steps, since one expression for it all tries several ways at every letter and takes four times as long.
_ASCII = re.compile("[A-Za-z0-9]+")
_LETTERS = re.compile(f"[\\w{_MARKS}{RUN_ON}]+")
_PARTS = re.compile(f"[{RUN_ON}]+|[^{RUN_ON}_]+")
_RUN_ON = re.compile(f"[{RUN_ON}]")
_ACCENTS = re.compile("[\u0300-\u0305\u0307-\u036f]|(?<=[a-z])\u0306")


#: A word of a text, its start and its end there.
Word = tuple[str, int, int]


def words(text: str) -> Iterator[Word]:
    if text.isascii():
        for found in _ASCII.finditer(text):
            yield found[0], found.start(), found.end()
        return
    for found in _LETTERS.finditer(text):
        word, start = found[0], found.start()
        if "_" not in word and (word.isascii() or not _RUN_ON.search(word)):
            yield word, start, found.end()
        else:
            for part in _PARTS.finditer(word):
                yield part[0], start + part.start(), start + part.end()


def word_list(text: str) -> list[str]:
    """The words alone, which takes a third of the time."""
    return _ASCII.findall(text) if text.isascii() else [word for word, _, _ in words(text)]


def runs_on(word: str) -> bool:
    return not word.isascii() and _RUN_ON.match(word) is not None


def fold(word: str) -> str:
    """Without case and accents. The breve of й stays: it is another letter, and endings depend on it."""
    lower = word.lower()
    if lower.isascii():
        return lower
    return unicodedata.normalize("NFC", _ACCENTS.sub("", unicodedata.normalize("NFD", lower)))


def pairs(run: str) -> list[str]:
    """The overlapping pairs of a run; a single letter stays as it is."""
    return [run[at : at + 2] for at in range(len(run) - 1)] or [run]
