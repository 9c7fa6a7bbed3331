"""Deterministic random text, and simple token counters, for tests of chunking and search."""

from __future__ import annotations

import random

WORDS = ("lock", "gate", "water", "boat", "rope", "keeper", "towpath", "horse", "barge", "canal", "weir")


def words(text: str) -> int:
    return len(text.split())


def quarters(text: str) -> int:
    return (len(text) + 3) // 4


def prose(count: int, seed: int = 0) -> str:
    """``count`` words in sentences of five to fifteen words."""
    rng = random.Random(seed)
    sentences: list[str] = []
    while count > 0:
        length = min(count, rng.randint(5, 15))
        sentences.append(" ".join(rng.choice(WORDS) for _ in range(length)).capitalize() + ".")
        count -= length
    return " ".join(sentences)


def paragraphs(count: int, length: int = 12) -> str:
    return "\n\n".join(prose(length, seed) for seed in range(count))
