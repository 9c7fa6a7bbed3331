"""The labelled pairs of passages, and the features that the product computes for them in their libraries.

A library is the passages of one collection in one split: neighbours, rare terms and copies are looked for there.
"""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

import numpy as np

from towpath.connections.boilerplate import MAX_DOCUMENTS, recurring, without_recurring
from towpath.connections.comparison import MIN_COPIED_SHARE, NEIGHBOURS, POSSIBLE_CONNECTIONS
from towpath.connections.editions import editions
from towpath.connections.features import PairFeatures, TermCounts
from towpath.connections.passage_text import analyze, contained_share
from towpath.connections.scoring import is_eligible
from towpath.model.writes import ChunkProfile
from towpath.providers.contract import Vectors

FOLDER = Path(__file__).parent
SPLITS = ("train", "test")

Embed = Callable[[list[str]], Vectors]


class Passage(NamedTuple):
    id: str
    collection: str
    document: str
    split: str
    text: str


class LabelledPair(NamedTuple):
    one: Passage
    other: Passage
    first_pass: bool
    #: None if the pair was labelled once.
    second_pass: bool | None
    label: bool


@dataclass(frozen=True, slots=True)
class MeasuredPair:
    """A labelled pair with its features, and what the two plain methods say about it."""

    pair: LabelledPair
    features: PairFeatures
    eligible: bool
    cosine: float
    tfidf: float

    @property
    def collection(self) -> str:
        return self.pair.one.collection


@cache
def passages() -> dict[str, Passage]:
    found: dict[str, Passage] = {}
    for path in sorted((FOLDER / "passages").glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            found[row["id"]] = Passage(row["id"], path.stem, row["document"], row["split"], row["text"])
    return found


@cache
def labelled_pairs() -> tuple[LabelledPair, ...]:
    by_id = passages()
    with (FOLDER / "labels.tsv").open(encoding="utf-8", newline="") as file:
        return tuple(
            LabelledPair(
                by_id[row["one"]],
                by_id[row["other"]],
                row["first_pass"] == "1",
                row["second_pass"] == "1" if row["second_pass"] else None,
                row["label"] == "1",
            )
            for row in csv.DictReader(file, delimiter="\t")
        )


def agreement(pairs: Sequence[LabelledPair]) -> tuple[float, float]:
    """Of the pairs labelled twice, the share with the same label in both passes, and Cohen's kappa."""
    pairs = [pair for pair in pairs if pair.second_pass is not None]
    same = sum(pair.first_pass == pair.second_pass for pair in pairs) / len(pairs)
    first, second = (sum(column) / len(pairs) for column in zip(*((p[2], p[3]) for p in pairs), strict=True))
    by_chance = first * second + (1 - first) * (1 - second)
    return same, (same - by_chance) / (1 - by_chance)


def measure(embed: Embed, split: str, unrelated: float) -> list[MeasuredPair]:
    """The features of all pairs of a split whose documents are not editions of each other."""
    measured: list[MeasuredPair] = []
    of_split = [pair for pair in labelled_pairs() if pair.one.split == split]
    for collection, pairs in groupby(of_split, key=lambda pair: pair.one.collection):
        members = [p for p in passages().values() if (p.collection, p.split) == (collection, split)]
        library = Collection(members, embed([passage.text for passage in members]), unrelated)
        measured += [library.measure(pair) for pair in pairs if not library.are_editions(pair)]
    return measured


class Collection:
    """The passages of one collection and split with their vectors, profiles and term counts."""

    def __init__(self, members: Sequence[Passage], vectors: Vectors, unrelated: float) -> None:
        self._rows = {passage.id: row for row, passage in enumerate(members)}
        self._members = members
        self._vectors = vectors
        counted = Counter(term for passage in members for term in analyze(passage.text).terms)
        self._counts = TermCounts(len(members), counted)
        self._texts: dict[str, list[str]] = {}
        for passage in members:
            self._texts.setdefault(passage.document, []).append(passage.text)
        self._profiles = list(self._make_profiles(unrelated))
        # The library has the document itself and the others.
        self._recurring = recurring(self._texts, MAX_DOCUMENTS + 1)
        self._tfidf = _tfidf_vectors([passage.text for passage in members])

    def measure(self, pair: LabelledPair) -> MeasuredPair:
        row, other = self._rows[pair.one.id], self._rows[pair.other.id]
        texts = self._compared_texts(pair)
        profiles = self._profiles[row], self._profiles[other]
        cosine = float(self._vectors[row] @ self._vectors[other])
        features = PairFeatures(texts, profiles, cosine, self._counts)
        tfidf = sum(weight * self._tfidf[other].get(term, 0.0) for term, weight in self._tfidf[row].items())
        return MeasuredPair(pair, features, is_eligible(features), cosine, tfidf)

    def _compared_texts(self, pair: LabelledPair) -> tuple[str, str]:
        """Without boilerplate: the product looks for it in the candidates of a passage, here in the whole library."""
        one, other = pair.one.text, pair.other.text
        if contained_share(one, other) >= MIN_COPIED_SHARE:
            return one, other
        return without_recurring(one, self._recurring), without_recurring(other, self._recurring)

    def are_editions(self, pair: LabelledPair) -> bool:
        one, other = self._texts[pair.one.document], self._texts[pair.other.document]
        return bool(editions(one, {pair.other.document: other}))

    def _make_profiles(self, unrelated: float) -> Iterable[ChunkProfile]:
        documents = np.array([passage.document for passage in self._members])
        for row, passage in enumerate(self._members):
            cosines = self._vectors @ self._vectors[row]
            cosines[documents == passage.document] = -1.0
            nearest = [int(at) for at in np.argsort(-cosines)[:NEIGHBOURS]]
            neighbours = [float(cosines[at]) for at in nearest[POSSIBLE_CONNECTIONS:]]
            copies: set[str] = {
                self._members[at].document
                for at in nearest[: NEIGHBOURS // 2]
                if contained_share(passage.text, self._members[at].text) >= MIN_COPIED_SHARE
            }
            missing = NEIGHBOURS - POSSIBLE_CONNECTIONS - len(neighbours)
            similarity = (sum(neighbours) + missing * unrelated) / (NEIGHBOURS - POSSIBLE_CONNECTIONS)
            yield ChunkProfile(similarity, self._counts.norm(passage.text), len(copies))


def _tfidf_vectors(texts: Sequence[str]) -> list[dict[str, float]]:
    """Plain TF-IDF with unit length, the first of the two plain methods."""
    counts = [analyze(text).terms for text in texts]
    frequency = Counter(term for terms in counts for term in terms)
    vectors: list[dict[str, float]] = []
    for terms in counts:
        vector = {term: times * np.log(1 + len(texts) / frequency[term]) for term, times in terms.items()}
        length = float(np.sqrt(sum(weight * weight for weight in vector.values()))) or 1.0
        vectors.append({term: float(weight) / length for term, weight in vector.items()})
    return vectors
