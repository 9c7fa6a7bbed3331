"""What two texts have in common in scripts that run on without blanks: stretches of letters, cut where a word may end.

Without a dictionary nobody knows where a word ends, but the small words of Chinese and the endings of Japanese, which
are written in hiragana, are never part of one that tells something.
"""

from __future__ import annotations

import re

from towpath.language.letters import runs_on, word_list

#: Longer than this it is no word and no name of a thing, but a sentence.
LONGEST = 12

_BETWEEN = re.compile(
    "[\u3041-\u309f的了是在和也就都而及与並并着或把被让從从对對于於这這那哪个個们們你我他她它吗呢吧啊很之其]+"
)


def shared_runs(one: str, other: str) -> set[str]:
    """The longest stretches of two and more letters of the one that are in the other, too."""
    other = other.casefold()
    found: set[str] = set()
    for word in word_list(one.casefold()):
        if runs_on(word):
            for part in _BETWEEN.split(word):
                found |= _in_both(part, other)
    return {
        run for run in found if len(run) <= LONGEST and not any(run != more and run in more for more in found)
    }


def _in_both(part: str, other: str) -> set[str]:
    found: set[str] = set()
    at = 0
    while at + 2 <= len(part):
        end = at + 2
        if part[at:end] not in other:
            at += 1
            continue
        while end < len(part) and part[at : end + 1] in other:
            end += 1
        found.add(part[at:end])
        at = end
    return found
