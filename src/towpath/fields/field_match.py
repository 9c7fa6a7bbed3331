"""The result type of the field finders: a value and its character span. Page and box are added later."""

from __future__ import annotations

from typing import NamedTuple

#: Finders check at most this many candidates, which bounds the time for texts full of near-matches.
MAX_CANDIDATES = 50_000


class FieldMatch(NamedTuple):
    name: str
    value: str
    kind: str
    confidence: float
    start: int | None = None
    end: int | None = None


def lowered(text: str) -> str:
    """Lower case with unchanged offsets ("İ" would become two characters)."""
    low = text.lower()
    if len(low) == len(text):
        return low
    return "".join(small if len(small := character.lower()) == 1 else character for character in text)
