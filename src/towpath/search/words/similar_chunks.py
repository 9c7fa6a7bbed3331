"""Finds chunks by terms of the index: "more like this" for passages, given their terms.

The terms of a passage are those of `text/analyzer.py`; `term_statistics` says which of them are rare.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from towpath.ledger.database import Transaction
from towpath.search.contract import RankedChunk
from towpath.search.words.bm25 import CONTENTS_FACTOR, K1, B
from towpath.search.words.postings_reader import MatchedTerm, PostingsReader, inverse_document_frequency
from towpath.search.words.query_terms import WordQuery, WordTerm
from towpath.search.words.segment_cache import IndexSnapshot, LiveSegment, SegmentCache
from towpath.text.index_markers import CONTENTS
from towpath.text.word_index_segment import Places


@dataclass(frozen=True, slots=True)
class TermStatistics:
    """The number of chunks of an organization, and of those that contain each term."""

    chunks: int
    frequencies: Mapping[str, int]

    def idf(self, term: str) -> float:
        return inverse_document_frequency(self.chunks, self.frequencies.get(term, 0))


def chunks_by_terms(
    library: SegmentCache,
    tx: Transaction,
    view: IndexSnapshot,
    passages: Sequence[Sequence[str]],
    depth: int,
    excluded_document: str | None,
) -> list[list[RankedChunk]]:
    """For the terms of each passage the best chunks by BM25, one document excluded.

    Only the postings of the terms are read: the cost depends on how rare they are, not on the size of the library.
    """
    reader = PostingsReader(library, tx, view, _query(term for terms in passages for term in terms))
    matched = {term.word: term for term in reader.words()}
    contents = reader.marked(CONTENTS)
    found: list[list[RankedChunk]] = [[] for _ in passages]
    for segment in view.segments:
        scorer = _SegmentScorer(
            segment, view.mean_length, contents.get(segment.segment_id), excluded_document
        )
        for best, terms in zip(found, passages, strict=True):
            best += scorer.best([matched[term] for term in dict.fromkeys(terms)], depth)
    return [sorted(best, key=lambda chunk: (-chunk.score, chunk.chunk_rowid))[:depth] for best in found]


class _SegmentScorer:
    """Scores the chunks of one segment that have at least one of some terms."""

    def __init__(
        self, segment: LiveSegment, mean_length: float, contents: Places | None, excluded_document: str | None
    ) -> None:
        self._segment = segment
        self._mean_length = mean_length
        self._contents = contents
        documents = segment.header.documents
        self._excluded = documents.index(excluded_document) if excluded_document in documents else None

    def best(self, terms: Sequence[MatchedTerm], depth: int) -> list[RankedChunk]:
        header = self._segment.header
        postings = [
            (term.idf, found)
            for term in terms
            if (found := term.by_segment.get(self._segment.segment_id)) is not None and len(found.places)
        ]
        if not postings:
            return []
        joined = np.concatenate([found.places for _, found in postings])
        counts = np.concatenate([found.counts for _, found in postings])
        weights = np.repeat(
            np.array([idf * (K1 + 1) for idf, _ in postings]), [len(found.places) for _, found in postings]
        )
        norms = K1 * (1 - B + B * header.lengths[joined] / self._mean_length)
        places, term_of = np.unique(joined, return_inverse=True)
        scores = np.bincount(term_of, weights * counts / (counts + norms), len(places))
        if self._excluded is not None:
            others = header.document_of[places] != self._excluded
            places, scores = places[others], scores[others]
        if self._contents is not None:
            scores[np.isin(places, self._contents)] *= CONTENTS_FACTOR
        numbers = header.numbers[places]
        order = np.lexsort((numbers, -scores))[:depth]
        return [RankedChunk(int(numbers[row]), float(scores[row])) for row in order]


def term_statistics(
    library: SegmentCache, tx: Transaction, view: IndexSnapshot, terms: Sequence[str]
) -> TermStatistics:
    return TermStatistics(view.chunks, PostingsReader(library, tx, view, _query(terms)).frequencies())


def _query(terms: Iterable[str]) -> WordQuery:
    return WordQuery(tuple(WordTerm(term, (term,)) for term in dict.fromkeys(terms)))
