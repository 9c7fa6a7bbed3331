"""Splits a recognized line into words, also where the recognizer lost the blank between two of them.

A blank is where the recognizer wrote one, or where the paper between two characters is clearly wider than between the
other characters of the line.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import median
from typing import Any, NamedTuple

#: The narrowest gap between words, in heights of the line.
_MIN_GAP = 0.28
_MIN_GAP_RATIO = 2.5


class CharacterPlace(NamedTuple):
    """One character and its center, as a fraction of the width of the line."""

    character: str
    center: float
    confidence: float
    after_blank: bool


class LineWord(NamedTuple):
    """A word with its extent as fractions of the width of the line."""

    text: str
    start: float
    end: float
    confidence: float


def split_words(places: Sequence[CharacterPlace], image: Any) -> Iterator[LineWord]:
    """The words of a line. ``image`` is the line as pixels, dark on light or light on dark."""
    gaps = _gaps(image) if len(places) > 3 else []
    starts = [0, *(i for i in range(1, len(places)) if places[i].after_blank or _is_glued(places, i, gaps))]
    for start, end in zip(starts, [*starts[1:], len(places)], strict=True):
        word = places[start:end]
        left = (places[start - 1].center + word[0].center) / 2 if start else 0.0
        right = (word[-1].center + places[end].center) / 2 if end < len(places) else 1.0
        confidence = sum(place.confidence for place in word) / len(word)
        yield LineWord("".join(place.character for place in word), left, right, confidence)


def _is_glued(
    places: Sequence[CharacterPlace], index: int, gaps: Sequence[tuple[float, float, bool]]
) -> bool:
    """True if a wide gap lies between this character and the one before, and both may end and begin a word."""
    before, after = places[index - 1], places[index]
    if not (before.character.isalnum() or before.character in ".,:;)") or not after.character.isalnum():
        return False
    if before.character in ".,:" and after.character.isdigit():
        return False  # an amount, a time
    return any(wide and before.center < (start + end) / 2 < after.center for start, end, wide in gaps)


def _gaps(image: Any) -> list[tuple[float, float, bool]]:
    """Empty columns between characters: start, end (fractions of the width), and whether as wide as a blank."""
    import numpy as np

    grey = np.asarray(image, dtype=np.float32)
    grey = grey.mean(axis=2) if grey.ndim == 3 else grey
    height, width = grey.shape
    low, high = float(np.percentile(grey, 3)), float(np.percentile(grey, 97))
    if high - low < 25:
        return []
    paper = float(np.median(grey))
    ink = np.abs(grey - paper) > 0.35 * (high - low)
    empty = ink[int(0.15 * height) : int(0.85 * height)].sum(axis=0) == 0
    edges = np.flatnonzero(np.diff(np.concatenate(([0], empty.astype(np.int8), [0]))))
    runs = [(int(a), int(b)) for a, b in zip(edges[::2], edges[1::2], strict=True) if a > 0 and b < width]
    if not runs:
        return []
    usual = median(b - a for a, b in runs)
    limit = max(_MIN_GAP * height, _MIN_GAP_RATIO * usual)
    return [(a / width, b / width, b - a >= limit) for a, b in runs]
