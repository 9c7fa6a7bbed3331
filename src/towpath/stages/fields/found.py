"""What the finders give: a value and the characters that prove it. Places are added later."""

from __future__ import annotations

from typing import NamedTuple

#: Finders look at no more candidates than this, so that a text made of almost-matches stays cheap.
MOST_CANDIDATES = 50_000


class Found(NamedTuple):
    name: str
    value: str
    kind: str
    confidence: float
    start: int | None = None
    end: int | None = None


def lowered(text: str) -> str:
    """Lower case with every character at its old place ("İ" would become two)."""
    low = text.lower()
    if len(low) == len(text):
        return low
    return "".join(small if len(small := character.lower()) == 1 else character for character in text)
