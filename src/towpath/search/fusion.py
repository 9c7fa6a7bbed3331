"""Reciprocal rank fusion: one order out of several, by places only, since their scores do not compare."""

from __future__ import annotations

from collections.abc import Sequence

from towpath.search.contract import Ranked

#: How soon a lower place stops to matter; the value everybody uses, and no collection cares much.
K = 60


def fuse(lists: Sequence[Sequence[Ranked]], k: int = K) -> list[Ranked]:
    """Best first. Equals go by their best place in any list, then by number: the order never flickers."""
    scores: dict[int, float] = {}
    best: dict[int, int] = {}
    for found in lists:
        for place, ranked in enumerate(found, start=1):
            scores[ranked.number] = scores.get(ranked.number, 0.0) + 1 / (k + place)
            best[ranked.number] = min(best.get(ranked.number, place), place)
    order = sorted(scores, key=lambda number: (-scores[number], best[number], number))
    return [Ranked(number, scores[number]) for number in order]


def lead(first: Sequence[Ranked], rest: Sequence[Ranked]) -> list[Ranked]:
    """``first`` before everything else, with scores that say so."""
    leading = {ranked.number for ranked in first}
    top = rest[0].score if rest else 0.0
    led = [Ranked(ranked.number, top + 1 / place) for place, ranked in enumerate(first, start=1)]
    return led + [ranked for ranked in rest if ranked.number not in leading]
