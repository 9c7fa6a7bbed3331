"""Measures connections on documents with known pairs: precision, recall, and a model's similarity baseline."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from typing import NamedTuple

import numpy as np

from tests.support.books import LONG_PASSAGES, Book, read_book
from towpath.connections.pair_scoring import DocumentPair
from towpath.connections.similarity_baseline import ModelBaseline, log_length_ratio
from towpath.connections.store import DocumentChunks
from towpath.model.writes import Connection, DocumentVersion
from towpath.providers.contract import Vectors
from towpath.providers.local.embeddings.wordllama_model import WordLlamaVectors
from towpath.queries.connections import COPIES_SHOWN, TOPICS_SHOWN
from towpath.text.terms import terms

Embed = Callable[[list[str]], Vectors]


class Source(NamedTuple):
    """The chapter a passage belongs to, and whether it is the first half, which the other passages relate to."""

    chapter: int
    is_first_half: bool = False


#: The passages of one document, each with its chapter; None for an unrelated passage.
SampleDocument = Mapping[str, Source | None]


@dataclass(frozen=True, slots=True)
class Quality:
    """Counts of pairs. A connection within a chapter is right; pairs with its first half are the known pairs."""

    known: int
    known_found: int
    right: int
    found: int

    @property
    def precision(self) -> float:
        return self.right / self.found if self.found else 0.0

    @property
    def recall(self) -> float:
        return self.known_found / self.known


def as_volumes(book: Book) -> list[SampleDocument]:
    """A document each for first halves, second halves, retellings and quotations, and one per 4 unrelated passages."""
    quotations = {
        f"{quotation.remark} {book.chapters[quotation.chapter].first.split('. ')[1]}.": Source(
            quotation.chapter
        )
        for quotation in book.quotations
    }
    unrelated = [
        dict.fromkeys(book.unrelated[start : start + 4]) for start in range(0, len(book.unrelated), 4)
    ]
    return [
        {chapter.first: Source(number, is_first_half=True) for number, chapter in enumerate(book.chapters)},
        {chapter.second: Source(number) for number, chapter in enumerate(book.chapters)},
        {chapter.retold: Source(number) for number, chapter in enumerate(book.chapters)},
        quotations,
        *unrelated,
    ]


def as_single_passages(book: Book) -> list[SampleDocument]:
    """The same passages, one document for each."""
    return [{text: source} for volume in as_volumes(book) for text, source in volume.items()]


def measure_quality(embed: Embed, documents: Sequence[SampleDocument]) -> Quality:
    """Scores every pair of documents as the `connect` stage does, and counts the connections that would be shown."""
    baseline = measure_baseline(embed)
    chunks = [_embed(f"{number:03d}", list(document), embed) for number, document in enumerate(documents)]
    sources = {
        chunk_id: document[text]
        for document_chunks, document in zip(chunks, documents, strict=True)
        for chunk_id, text in zip(document_chunks.ids, document_chunks.texts, strict=True)
    }
    words = WordLlamaVectors()
    scored = (
        DocumentPair(one, other, baseline, words).connections() for one, other in combinations(chunks, 2)
    )
    shown = _shown([pair for pairs in scored for pair in pairs])
    connected = [(sources[pair.a_chunk_id], sources[pair.b_chunk_id]) for pair in shown]
    known = sum(
        _is_known(one, other)
        for document, other_document in combinations(documents, 2)
        for one, other in product(document.values(), other_document.values())
    )
    known_found = sum(_is_known(*pair) for pair in connected)
    return Quality(known, known_found, sum(_is_right(*pair) for pair in connected), len(shown))


def _is_right(one: Source | None, other: Source | None) -> bool:
    return one is not None and other is not None and one.chapter == other.chapter


def _is_known(one: Source | None, other: Source | None) -> bool:
    return _is_right(one, other) and any(
        source is not None and source.is_first_half for source in (one, other)
    )


def _shown(pairs: Sequence[Connection]) -> list[Connection]:
    """The pairs that rank high enough for both of their chunks, by the rule of `queries/connections.py`."""
    ranked = sorted(pairs, key=lambda pair: (-pair.score, pair.a_chunk_id, pair.b_chunk_id))
    better: Counter[str] = Counter()
    shown: list[Connection] = []
    for pair in ranked:
        limit = COPIES_SHOWN if pair.kind == "same_passage" else TOPICS_SHOWN
        if max(better[pair.a_chunk_id], better[pair.b_chunk_id]) < limit:
            shown.append(pair)
        better.update((pair.a_chunk_id, pair.b_chunk_id))
    return shown


def _embed(name: str, texts: list[str], embed: Embed) -> DocumentChunks:
    ids = [f"{name}-{number:03d}" for number in range(len(texts))]
    return DocumentChunks(DocumentVersion(name, None), "", ids, texts, embed(texts))


#: Unrelated passages, of two sentences each and as long as real chunks.
UNRELATED_SHORT = read_book("unrelated_passages").unrelated
UNRELATED_LONG = [text for book in LONG_PASSAGES.values() for text in book.unrelated]


def measure_baseline(embed: Embed) -> ModelBaseline:
    """The mean and spread of a model's cosines between unrelated passages, as a line through two passage lengths."""
    (short_mean, short_spread), (long_mean, long_spread) = (
        _cosines(embed(list(texts))) for texts in (UNRELATED_SHORT, UNRELATED_LONG)
    )
    start, end = log_length_ratio(
        np.array([_mean_terms(UNRELATED_SHORT), _mean_terms(UNRELATED_LONG)])
    ).tolist()
    mean_growth = (long_mean - short_mean) / (end - start)
    spread_growth = (long_spread - short_spread) / (end - start)
    mean, spread = short_mean - start * mean_growth, short_spread - start * spread_growth
    return ModelBaseline(mean, spread, mean_growth, spread_growth, english_only=True)


def _cosines(vectors: Vectors) -> tuple[float, float]:
    cosines = (vectors @ vectors.T)[np.triu_indices(len(vectors), 1)]
    return float(cosines.mean()), float(cosines.std())


def _mean_terms(texts: Sequence[str]) -> float:
    """The geometric mean of the number of distinct terms."""
    return float(np.exp(np.mean([np.log(len(terms(text))) for text in texts])))
