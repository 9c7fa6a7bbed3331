"""What people ask the collection: questions, sentences they remember, names, common words and quoted phrases."""

from __future__ import annotations

import random
from collections.abc import Sequence

from bench.search.corpus import name
from bench.search.words import SUBJECTS

COMMON = ("report", "the company", "budget review", "risk", "quality of the service", "number of the page")


def mixed(count: int, pool: Sequence[str], seed: int) -> list[str]:
    """Half questions, and equally often a remembered sentence, a name, common words, a phrase in quotes."""
    chance = random.Random(seed)
    return [_ask(chance, at % 8, at, pool) for at in range(count)]


def questions(count: int, seed: int) -> list[str]:
    """Questions only, all different."""
    chance = random.Random(seed)
    asked: dict[str, None] = {}
    while len(asked) < count:
        asked[question(chance)] = None
    return list(asked)


def question(chance: random.Random) -> str:
    """In words of a subject that no sentence has in this order."""
    subject = chance.choice(SUBJECTS)
    thing, other = chance.sample(subject.things, 2)
    deed, trait = chance.choice(subject.deeds), chance.choice(subject.traits)
    return chance.choice(
        (
            f"when can the {thing} be {deed}",
            f"{trait} {thing} {other}",
            f"how is a {trait} {thing} {deed} by the {other}?",
            f"{thing} and {other}",
            f"what happens if the {other} is not {deed} and the {thing} is {trait}",
        )
    )


def _ask(chance: random.Random, kind: int, at: int, pool: Sequence[str]) -> str:
    words = chance.choice(pool).rstrip(".").split()
    if kind < 4:
        return question(chance)
    if kind == 4:
        return " ".join(words[2:11])
    if kind == 5:
        return f"{name(chance)} signed"
    if kind == 6:
        # The number keeps every text different, so that each is embedded.
        return f"{COMMON[at // 8 % len(COMMON)]} {at}"
    return f'"{" ".join(words[1:4])}" {question(chance)}'
