"""Finds sentences that recur in many documents: headings of a form, lists of a company's products, legal notices.

Two passages that share such a sentence have the form in common, not the subject. A sentence recurs if most of its
shingles are in several other documents, so that small changes do not matter.
"""

from __future__ import annotations

import re
import zlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

from towpath.connections.passage_text import CACHED_TEXTS, shingles
from towpath.text.word_tokenizer import word_list

#: A sentence that more of the other documents have is boilerplate.
MAX_DOCUMENTS = 4
#: The share of the shingles of such a sentence that recur.
MIN_RECURRING_SHARE = 0.5

_SENTENCE = re.compile(r"(?:[^.!?;:\n。！？；]|[.!?;:](?!\s))+[.!?;:。！？；\n]*\s*")


def recurring(texts: Mapping[str, Sequence[str]], allowed: int = MAX_DOCUMENTS) -> frozenset[int]:
    """The keys of text that more than ``allowed`` of these documents have; the texts are by document."""
    counts = Counter(key for passages in texts.values() for key in set[int]().union(*map(_keys, passages)))
    return frozenset(key for key, count in counts.items() if count > allowed)


def without_recurring(text: str, keys: frozenset[int]) -> str:
    """The text without the sentences that recur."""
    return "".join(
        sentence
        for sentence, own in _sentences(text)
        if not own or len(own & keys) < MIN_RECURRING_SHARE * len(own)
    )


@lru_cache(maxsize=CACHED_TEXTS)
def _sentences(text: str) -> Sequence[tuple[str, frozenset[int]]]:
    return [(sentence, _sentence_keys(sentence)) for sentence in _SENTENCE.findall(text)]


@lru_cache(maxsize=CACHED_TEXTS)
def _keys(text: str) -> frozenset[int]:
    return frozenset[int]().union(*_own_keys(text))


def _own_keys(text: str) -> Iterable[frozenset[int]]:
    return (own for _, own in _sentences(text))


def _sentence_keys(sentence: str) -> frozenset[int]:
    """The shingles of a sentence; of a shorter one, such as a heading, the hash of its words."""
    if found := shingles(sentence):
        return found
    words = list(word_list(sentence.casefold()))
    return frozenset((zlib.crc32(" ".join(words).encode("utf-8", "replace")),)) if words else frozenset()
