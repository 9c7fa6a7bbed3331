"""Finds text in which a speech model repeats itself, which it does on music and noise."""

from __future__ import annotations

import re

#: A phrase of up to this many words counts as repeated when it follows itself this many times without a break, over at
#: least so many words: people do say "no" five times.
MAX_PHRASE_WORDS, MIN_REPETITIONS, MIN_REPEATED = 6, 5, 8
#: Characters, for scripts without blanks between words.
MAX_PHRASE_CHARACTERS = 12
_WORD = re.compile(r"[\w']+")


def is_repetition(text: str) -> bool:
    """Whether a phrase follows itself so often that nobody said it."""
    words = _WORD.findall(text.casefold())
    if _has_run(words, MAX_PHRASE_WORDS):
        return True
    return len(words) < len(text) / 12 and _has_run(list("".join(words)), MAX_PHRASE_CHARACTERS)


def _has_run(units: list[str], longest: int) -> bool:
    for size in range(1, longest + 1):
        repeated = 0
        for index in range(size, len(units)):
            repeated = repeated + 1 if units[index] == units[index - size] else 0
            if repeated >= max(size * (MIN_REPETITIONS - 1), MIN_REPEATED):
                return True
    return False
