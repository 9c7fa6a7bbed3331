"""Finds common substrings of two texts in scripts without blanks between words, as a substitute for shared words.

There is no dictionary of word boundaries. Chinese function words and hiragana (Japanese endings) are treated as
boundaries, because they are not part of content words.
"""

from __future__ import annotations

import re

from towpath.text.word_tokenizer import is_unsegmented, word_list

#: Longer substrings are sentences, not words or names.
MAX_LENGTH = 12

_FUNCTION_CHARACTERS = re.compile(
    "[\u3041-\u309f的了是在和也就都而及与並并着或把被让從从对對于於这這那哪个個们們你我他她它吗呢吧啊很之其]+"
)


def common_substrings(one: str, other: str) -> set[str]:
    """The longest substrings of two and more characters that are in both texts."""
    other = other.casefold()
    substrings: set[str] = set()
    for word in word_list(one.casefold()):
        if is_unsegmented(word):
            for part in _FUNCTION_CHARACTERS.split(word):
                substrings |= _longest_matches(part, other)
    return {
        substring
        for substring in substrings
        if len(substring) <= MAX_LENGTH
        and not any(substring != longer and substring in longer for longer in substrings)
    }


def _longest_matches(part: str, other: str) -> set[str]:
    substrings: set[str] = set()
    start = 0
    while start + 2 <= len(part):
        end = start + 2
        if part[start:end] not in other:
            start += 1
            continue
        while end < len(part) and part[start : end + 1] in other:
            end += 1
        substrings.add(part[start:end])
        start = end
    return substrings
