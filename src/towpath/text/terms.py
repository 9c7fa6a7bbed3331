"""Extracts the terms of a text for comparison: stems of its words without stopwords, with counts."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from towpath.text.language_id import FOREIGN, is_english
from towpath.text.scripts import bigrams, is_unsegmented, word_list
from towpath.text.stemming import stem
from towpath.text.stopwords import STOPWORDS

#: Shorter words carry little meaning; longer tokens are not words.
MIN_LENGTH, MAX_LENGTH = 3, 40
#: Texts whose terms are cached: each text is compared with many others.
CACHED_TEXTS = 8_192

# A word that is hyphenated at the end of a line.
_LINE_BREAK_HYPHEN = re.compile(r"(?<=[^\W\d_])-\r?\n(?=[^\W\d_])")


@dataclass(frozen=True, slots=True)
class _Analysis:
    terms: Mapping[str, int]
    spellings: Mapping[str, str]
    english: bool


def terms(text: str) -> Mapping[str, int]:
    """The stems of the text and how often each occurs."""
    return _analyze(text).terms


def spellings(text: str) -> Mapping[str, str]:
    """The shortest word of the text for each stem."""
    return _analyze(text).spellings


def is_english_text(text: str) -> bool:
    return _analyze(text).english


@lru_cache(maxsize=CACHED_TEXTS)
def _analyze(text: str) -> _Analysis:
    counts: Counter[str] = Counter()
    shortest_spelling: dict[str, str] = {}
    # Count first: most words repeat, and counting is cheaper than stemming.
    word_counts = Counter(word_list(_LINE_BREAK_HYPHEN.sub("", text.casefold())))
    english = is_english(word_counts)
    for word, count in word_counts.items():
        if not english and word in FOREIGN:
            continue
        for part in _content_terms(word):
            key = stem(part)
            counts[key] += count
            spelling = shortest_spelling.get(key)
            if spelling is None or (len(part), part) < (len(spelling), spelling):
                shortest_spelling[key] = part
    return _Analysis(counts, shortest_spelling, english)


def _content_terms(word: str) -> Sequence[str]:
    if is_unsegmented(word):
        return bigrams(word)
    return (word,) if MIN_LENGTH <= len(word) <= MAX_LENGTH and word not in STOPWORDS else ()
