"""The queries of the search benchmark: questions, sentences, names, common words and quoted phrases."""

from __future__ import annotations

import random
from collections.abc import Sequence

from bench.search.corpus import name
from bench.search.vocabulary import SUBJECTS

COMMON = ("report", "the company", "budget review", "risk", "quality of the service", "number of the page")


def mixed(count: int, pool: Sequence[str], seed: int) -> list[str]:
    """Half are questions; the rest are equally often sentences of the text, names, common words, quoted phrases."""
    rng = random.Random(seed)
    return [_query(rng, index % 8, index, pool) for index in range(count)]


def questions(count: int, seed: int) -> list[str]:
    """Generate different questions."""
    rng = random.Random(seed)
    queries: dict[str, None] = {}
    while len(queries) < count:
        queries[question(rng)] = None
    return list(queries)


def question(rng: random.Random) -> str:
    """A question with words of one subject, in an order that no sentence has."""
    subject = rng.choice(SUBJECTS)
    noun, other = rng.sample(subject.nouns, 2)
    verb, adjective = rng.choice(subject.verbs), rng.choice(subject.adjectives)
    return rng.choice(
        (
            f"when can the {noun} be {verb}",
            f"{adjective} {noun} {other}",
            f"how is a {adjective} {noun} {verb} by the {other}?",
            f"{noun} and {other}",
            f"what happens if the {other} is not {verb} and the {noun} is {adjective}",
        )
    )


def _query(rng: random.Random, kind: int, index: int, pool: Sequence[str]) -> str:
    words = rng.choice(pool).rstrip(".").split()
    if kind < 4:
        return question(rng)
    if kind == 4:
        return " ".join(words[2:11])
    if kind == 5:
        return f"{name(rng)} signed"
    if kind == 6:
        # The number keeps every text different, so that each is embedded.
        return f"{COMMON[index // 8 % len(COMMON)]} {index}"
    return f'"{" ".join(words[1:4])}" {question(rng)}'
