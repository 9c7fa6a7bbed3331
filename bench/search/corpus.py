"""Generates a collection of documents and chunks from a seed, with vectors.

A chunk's vector is the mean of the real embeddings of its sentences, so the vectors are about as clustered
as those of real text. Only 6,000 sentences are embedded; 200,000 chunks would take an hour.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from bench.search.vocabulary import CONNECTING, SHARED, SUBJECTS, SYLLABLES, Subject
from towpath.providers.contract import Vectors

SENTENCES_PER_SUBJECT = 300
CHUNKS_PER_DOCUMENT = 50
SENTENCES_PER_CHUNK = 13


@dataclass(frozen=True, slots=True)
class GeneratedChunk:
    document: int
    ordinal: int
    text: str
    heading: str
    vector: Vectors


def sentence_pool(seed: int = 1) -> list[str]:
    """Generate the sentences of all subjects, in the order of the subjects."""
    rng = random.Random(seed)
    return [sentence(rng, subject) for subject in SUBJECTS for _ in range(SENTENCES_PER_SUBJECT)]


def sentence(rng: random.Random, subject: Subject) -> str:
    noun, other, third = rng.sample(subject.nouns, 3)
    verb, adjective = rng.choice(subject.verbs), rng.choice(subject.adjectives)
    # Words early in the list are sentence_indexes more often, as word frequencies in real text are uneven.
    shared = SHARED[min(int(rng.expovariate(0.12)), len(SHARED) - 1)]
    link = rng.choice(CONNECTING)
    shape = rng.randrange(6)
    if shape == 0:
        return (
            f"The {adjective} {noun} of the {shared} was {verb} {link} the {other} had reached the {third}."
        )
    if shape == 1:
        return (
            f"The {shared} says that a {noun} and an {other} were {verb}, {link} no {third} was {adjective}."
        )
    if shape == 2:
        return f"Nobody {verb} the {noun} {link} the {adjective} {other} and its {shared} were known to the {third}."
    if shape == 3:
        return f"To be {verb}, each {noun} needs a {adjective} {other}, which is a {shared} for the {third} to keep."
    if shape == 4:
        return f"Our {shared} shows how the {noun} came to be {verb} by the {other}, {link} it was not {adjective}."
    return f"A {adjective} {noun} is never {verb} without the {shared} that the {other} gives to the {third}."


def name(rng: random.Random) -> str:
    return "".join(rng.sample(SYLLABLES, 3)).capitalize()


def chunks(count: int, pool: Sequence[str], vectors: Vectors, seed: int = 2) -> Iterator[GeneratedChunk]:
    """Generate chunks in document order: each document is about one subject and partly about a second one."""
    rng = random.Random(seed)
    noise = np.random.default_rng(seed)
    for document in range(-(-count // CHUNKS_PER_DOCUMENT)):
        subject, other = rng.sample(range(len(SUBJECTS)), 2)
        themes = rng.sample(_sentence_indexes(subject), 45) + rng.sample(_sentence_indexes(other), 15)
        author = name(rng)
        for ordinal in range(min(CHUNKS_PER_DOCUMENT, count - document * CHUNKS_PER_DOCUMENT)):
            sentence_indexes = rng.sample(themes, SENTENCES_PER_CHUNK - 2) + rng.sample(range(len(pool)), 2)
            reference = f"{rng.choice('ABCDEFG')}{rng.randrange(1_000_000):06d}"
            signed = f"{author} signed this with {name(rng)} under number {reference}."
            yield GeneratedChunk(
                document,
                ordinal,
                " ".join([pool[index] for index in sentence_indexes] + [signed]),
                f"{SUBJECTS[subject].name.capitalize()} {ordinal // 10 + 1}",
                _mean(vectors[sentence_indexes], noise),
            )


def _sentence_indexes(subject: int) -> range:
    return range(subject * SENTENCES_PER_SUBJECT, (subject + 1) * SENTENCES_PER_SUBJECT)


def _mean(vectors: Vectors, noise: np.random.Generator) -> Vectors:
    """The mean of the vectors with noise, scaled to unit length."""
    mean = np.add.reduce(vectors, axis=0) / len(vectors)
    near = np.asarray(mean + noise.normal(0, 0.01, len(mean)), np.float32)
    return near / np.sqrt(np.dot(near, near))
