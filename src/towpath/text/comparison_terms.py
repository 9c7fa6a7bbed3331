"""Extracts the terms of a text for comparison: stems of its words without stopwords, with counts."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

from towpath.text.function_words import FOREIGN
from towpath.text.stemming import stem
from towpath.text.stopwords import STOPWORDS
from towpath.text.word_tokenizer import bigrams, is_unsegmented, word_list

#: Shorter words carry little meaning; longer tokens are not words.
MIN_LENGTH, MAX_LENGTH = 3, 40
#: Words whose terms are cached: about the vocabulary of a library.
CACHED_WORDS = 65_536

# A word that is hyphenated at the end of a line.
_LINE_BREAK_HYPHEN = re.compile(r"(?<=[^\W\d_])-\r?\n(?=[^\W\d_])")


def count_words(text: str) -> Counter[str]:
    """The lower-case words of the text and how often each occurs."""
    return Counter(word_list(_LINE_BREAK_HYPHEN.sub("", text.casefold())))


def terms(words: Mapping[str, int], *, english: bool) -> dict[str, int]:
    """The stems of counted words without function words, and how often each occurs."""
    counts: dict[str, int] = {}
    for word, count in words.items():
        for term, _ in _content_parts(word, english):
            counts[term] = counts.get(term, 0) + count
    return counts


def spellings(words: Iterable[str], *, english: bool) -> dict[str, str]:
    """The shortest word for each stem."""
    shortest: dict[str, str] = {}
    for word in words:
        for term, part in _content_parts(word, english):
            spelling = shortest.get(term)
            if spelling is None or (len(part), part) < (len(spelling), spelling):
                shortest[term] = part
    return shortest


@lru_cache(maxsize=CACHED_WORDS)
def _content_parts(word: str, english: bool) -> Sequence[tuple[str, str]]:
    """The parts of a word that carry meaning, each with its stem: bigrams where words have no blanks between them."""
    if not english and word in FOREIGN:
        return ()
    if is_unsegmented(word):
        return tuple((stem(part), part) for part in bigrams(word))
    if MIN_LENGTH <= len(word) <= MAX_LENGTH and word not in STOPWORDS:
        return ((stem(word), word),)
    return ()
