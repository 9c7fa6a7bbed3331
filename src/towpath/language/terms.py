"""The words by which two texts can be compared: without those that say nothing, each by its stem."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from towpath.language.letters import pairs, runs_on, word_list
from towpath.language.small_words import FOREIGN, is_english
from towpath.language.stems import stem
from towpath.language.stopwords import STOPWORDS

#: Shorter words tell little, and longer ones are no words.
SHORTEST, LONGEST = 3, 40
#: Texts whose words are remembered: each is compared with many others, one after the other.
READ = 8_192

# A word that was broken at the end of a line.
_BROKEN = re.compile(r"(?<=[^\W\d_])-\r?\n(?=[^\W\d_])")


@dataclass(frozen=True, slots=True)
class _Read:
    terms: Mapping[str, int]
    spellings: Mapping[str, str]
    english: bool


def terms(text: str) -> Mapping[str, int]:
    """How often the text has each word, by its stem."""
    return _read(text).terms


def spellings(text: str) -> Mapping[str, str]:
    """The shortest word of each stem, as the text writes it."""
    return _read(text).spellings


def in_english(text: str) -> bool:
    return _read(text).english


@lru_cache(maxsize=READ)
def _read(text: str) -> _Read:
    found: Counter[str] = Counter()
    spelled: dict[str, str] = {}
    # Counted first: most words come more than once, and counting is cheaper than looking at each.
    counted = Counter(word_list(_BROKEN.sub("", text.casefold())))
    english = is_english(counted)
    for word, count in counted.items():
        if not english and word in FOREIGN:
            continue
        for part in _telling(word):
            key = stem(part)
            found[key] += count
            known = spelled.get(key)
            if known is None or (len(part), part) < (len(known), known):
                spelled[key] = part
    return _Read(found, spelled, english)


def _telling(word: str) -> Sequence[str]:
    if runs_on(word):
        return pairs(word)
    return (word,) if SHORTEST <= len(word) <= LONGEST and word not in STOPWORDS else ()
