"""A collection made of nothing but a seed: documents with subjects, and chunks of sentences about them.

A chunk's vector is the mean of the real embeddings of its sentences: about as clustered as real text, and
six thousand sentences are embedded instead of two hundred thousand chunks, which would take an hour.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from bench.search.words import CONNECTING, SHARED, SUBJECTS, SYLLABLES, Subject
from towpath.providers.contract import Vectors

SENTENCES_PER_SUBJECT = 300
CHUNKS_PER_DOCUMENT = 50
SENTENCES_PER_CHUNK = 13


@dataclass(frozen=True, slots=True)
class MadeChunk:
    document: int
    ordinal: int
    text: str
    heading: str
    vector: Vectors


def sentence_pool(seed: int = 1) -> list[str]:
    """Every subject's sentences, one subject after the other."""
    chance = random.Random(seed)
    return [sentence(chance, subject) for subject in SUBJECTS for _ in range(SENTENCES_PER_SUBJECT)]


def sentence(chance: random.Random, subject: Subject) -> str:
    thing, other, third = chance.sample(subject.things, 3)
    deed, trait = chance.choice(subject.deeds), chance.choice(subject.traits)
    # The early words of the shared list are a good deal more common than the late ones, as in any language.
    shared = SHARED[min(int(chance.expovariate(0.12)), len(SHARED) - 1)]
    link = chance.choice(CONNECTING)
    shape = chance.randrange(6)
    if shape == 0:
        return f"The {trait} {thing} of the {shared} was {deed} {link} the {other} had reached the {third}."
    if shape == 1:
        return f"The {shared} says that a {thing} and an {other} were {deed}, {link} no {third} was {trait}."
    if shape == 2:
        return f"Nobody {deed} the {thing} {link} the {trait} {other} and its {shared} were known to the {third}."
    if shape == 3:
        return f"To be {deed}, each {thing} needs a {trait} {other}, which is a {shared} for the {third} to keep."
    if shape == 4:
        return (
            f"Our {shared} shows how the {thing} came to be {deed} by the {other}, {link} it was not {trait}."
        )
    return f"A {trait} {thing} is never {deed} without the {shared} that the {other} gives to the {third}."


def name(chance: random.Random) -> str:
    return "".join(chance.sample(SYLLABLES, 3)).capitalize()


def chunks(count: int, pool: Sequence[str], vectors: Vectors, seed: int = 2) -> Iterator[MadeChunk]:
    """Documents in a row: each is about one subject and a little about another, in sentences of its own choice."""
    chance = random.Random(seed)
    noise = np.random.default_rng(seed)
    for document in range(-(-count // CHUNKS_PER_DOCUMENT)):
        subject, other = chance.sample(range(len(SUBJECTS)), 2)
        themes = chance.sample(_places(subject), 45) + chance.sample(_places(other), 15)
        author = name(chance)
        for ordinal in range(min(CHUNKS_PER_DOCUMENT, count - document * CHUNKS_PER_DOCUMENT)):
            chosen = chance.sample(themes, SENTENCES_PER_CHUNK - 2) + chance.sample(range(len(pool)), 2)
            reference = f"{chance.choice('ABCDEFG')}{chance.randrange(1_000_000):06d}"
            signed = f"{author} signed this with {name(chance)} under number {reference}."
            yield MadeChunk(
                document,
                ordinal,
                " ".join([pool[place] for place in chosen] + [signed]),
                f"{SUBJECTS[subject].name.capitalize()} {ordinal // 10 + 1}",
                _mean(vectors[chosen], noise),
            )


def _places(subject: int) -> range:
    return range(subject * SENTENCES_PER_SUBJECT, (subject + 1) * SENTENCES_PER_SUBJECT)


def _mean(vectors: Vectors, noise: np.random.Generator) -> Vectors:
    """Of unit length, and beside what it would be exactly."""
    mean = np.add.reduce(vectors, axis=0) / len(vectors)
    near = np.asarray(mean + noise.normal(0, 0.01, len(mean)), np.float32)
    return near / np.sqrt(np.dot(near, near))
