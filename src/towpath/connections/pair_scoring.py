"""Scores the chunk pairs of two documents and selects the connections between them. A pure function of the two.

Score = embedding similarity (z-score against the model's baseline) + TF-IDF overlap + word-embedding overlap.
A chunk gets at most one connection per other document, highest score first; otherwise a summary would be
connected with every page of a book.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from towpath.connections.lexical_similarity import TermOverlap
from towpath.connections.similarity_baseline import ModelBaseline
from towpath.connections.store import DocumentChunks, WordVectors
from towpath.connections.word_similarity import Floats, Indices
from towpath.model.writes import Connection
from towpath.providers.contract import Vectors

#: Pairs with at least this score are connections. Tuned with `python -m bench quality`.
MIN_SCORE = 5.4
#: The stored score approaches 1 by a factor of e per this much raw score.
SCORE_SCALE = 5.0
#: Points for a TF-IDF cosine of 1; a cosine of one third is worth four standard deviations.
TERM_WEIGHT = 12.0
#: Points per shared content term, and the number of terms that count.
RARE_TERM_BONUS, MAX_RARE_TERMS = 0.3, 5
#: Points per standard deviation of word-embedding overlap, and the bonus that is hardly ever exceeded.
WORD_EMBEDDING_WEIGHT, MAX_WORD_EMBEDDING_BONUS = 0.5, 3.0
#: Pairs with a lower embedding z-score are not candidates.
MIN_Z = 1.0
#: Chunks with fewer distinct terms, mostly headings, are not connected.
MIN_DISTINCT_TERMS = 4
#: Candidates per chunk.
NEIGHBOURS_PER_CHUNK = 8
#: Chunks per block of the candidate search, which bounds the memory.
ROWS_PER_BLOCK = 256
#: With at least this many chunk pairs, use the median score of the two documents as their baseline.
MIN_PAIRS_FOR_MEDIAN = 16
#: Distance of that baseline below the median, in standard deviations.
MEDIAN_OFFSET = 1.5
#: Letters per shingle, and the share of common shingles from which two chunks are copies.
SHINGLE_LENGTH = 16
MIN_COPY_OVERLAP = 0.3
#: Shingles probed before all shingles are compared.
MAX_SHINGLE_PROBES = 32
MAX_SHARED_TERMS = 5

_NOT_LETTERS = re.compile(r"[\W_]+")


class DocumentPair:
    """Two documents in a fixed order, so that the result is the same from either side."""

    def __init__(
        self,
        one: DocumentChunks,
        other: DocumentChunks,
        baseline: ModelBaseline,
        word_vectors: WordVectors | None,
    ) -> None:
        self.first, self.second = sorted((one, other), key=lambda passages: passages.document_id)
        self._term_overlap = TermOverlap(self.first.texts, self.second.texts, word_vectors)
        z_scores: Vectors = self.first.vectors @ self.second.vectors.T
        for row, cosines in enumerate(z_scores):
            z_scores[row] = baseline.z_scores(cosines, self._term_overlap.mean_term_counts(row))
        median = float(np.median(z_scores)) if z_scores.size >= MIN_PAIRS_FOR_MEDIAN else 0.0
        # Documents of one field or in one language have high cosines throughout; that connects nothing.
        z_scores -= max(0.0, median - MEDIAN_OFFSET)
        self._z_scores = z_scores
        self._english_only = baseline.english_only

    def connections(self) -> list[Connection]:
        """The pairs with at least `MIN_SCORE`, best first, each chunk in at most one of them."""
        rows, columns = self._candidate_pairs()
        scores = self._scores(rows, columns)
        ranked = np.lexsort((columns, rows, -scores))
        ranked = ranked[scores[ranked] >= MIN_SCORE]
        used: tuple[set[int], set[int]] = set(), set()
        connections: list[Connection] = []
        for row, column, score in zip(
            rows[ranked].tolist(), columns[ranked].tolist(), scores[ranked].tolist(), strict=True
        ):
            if row not in used[0] and column not in used[1]:
                connections.append(self._connection(row, column, score))
                used[0].add(row)
                used[1].add(column)
        return connections

    def score_pairs(self, cells: Sequence[tuple[int, int]]) -> list[Connection]:
        """Connections for the given pairs of rows, whatever their scores."""
        rows, columns = np.array(cells, np.intp).reshape(-1, 2).T
        scores = self._scores(rows, columns).tolist()
        return [
            self._connection(row, column, score) for (row, column), score in zip(cells, scores, strict=True)
        ]

    def _scores(self, rows: Indices, columns: Indices) -> Floats:
        z_scores = self._z_scores[rows, columns]
        cosines, shared = self._term_overlap.tfidf_cosine(rows, columns)
        term_score = TERM_WEIGHT * cosines + RARE_TERM_BONUS * np.minimum(shared, MAX_RARE_TERMS)
        english = self._term_overlap.both_english(rows, columns)
        if self._english_only:
            # The model does not know other languages: limit its score by the term score.
            z_scores = np.where(english, z_scores, np.minimum(z_scores, np.maximum(MIN_Z, term_score)))
        scores = np.asarray(z_scores + term_score, np.float64)
        # Word-embedding overlap is slow; skip pairs that it could not lift to MIN_SCORE.
        candidates = np.flatnonzero(english & (scores >= MIN_SCORE - MAX_WORD_EMBEDDING_BONUS))
        scores[candidates] += WORD_EMBEDDING_WEIGHT * self._term_overlap.embedding_overlap(
            rows[candidates], columns[candidates]
        )
        return np.round(scores, 4)

    def _connection(self, row: int, column: int, score: float) -> Connection:
        is_copy = _overlap(self.first.texts[row], self.second.texts[column]) >= MIN_COPY_OVERLAP
        kind = "same_passage" if is_copy else "same_topic"
        reason = _reason(self._term_overlap.shared_terms(row, column, MAX_SHARED_TERMS), is_copy)
        a, b = sorted((self.first.ids[row], self.second.ids[column]))
        return Connection(a, b, _normalized_score(score), kind, reason)

    def _candidate_pairs(self) -> tuple[Indices, Indices]:
        """The nearest neighbours of each chunk with at least `MIN_Z` and enough distinct terms."""
        is_candidate = np.zeros(self._z_scores.shape, np.bool_)
        for z_scores, mark in ((self._z_scores, is_candidate), (self._z_scores.T, is_candidate.T)):
            depth = min(NEIGHBOURS_PER_CHUNK, z_scores.shape[1])
            for start in range(0, len(z_scores), ROWS_PER_BLOCK):
                block = slice(start, start + ROWS_PER_BLOCK)
                nearest = np.argpartition(z_scores[block], -depth, axis=1)[:, -depth:]
                np.put_along_axis(mark[block], nearest, True, axis=1)
        rows, columns = np.nonzero(is_candidate & (self._z_scores >= MIN_Z))
        has_enough_terms = self._term_overlap.min_term_count(rows, columns) >= MIN_DISTINCT_TERMS
        return rows[has_enough_terms], columns[has_enough_terms]


def _normalized_score(score: float) -> float:
    """From 0.5 (at MIN_SCORE) to nearly 1 (the same text); lower only for pairs that a person pinned."""
    return round(max(0.0, 1.0 - 0.5 * math.exp((MIN_SCORE - score) / SCORE_SCALE)), 4)


def _reason(terms: list[str], is_copy: bool) -> str:
    if not terms:
        return "Nearly identical text" if is_copy else "Similar meaning"
    shared = f"Shared terms: {', '.join(terms)}"
    return f"Nearly identical text. {shared}" if is_copy else shared


def best_overlap(text: str, document: DocumentChunks) -> int | None:
    """The row of the chunk with the largest overlap with this text; None below `MIN_COPY_OVERLAP`."""
    if not document.texts:
        return None
    overlaps = [_overlap(text, other) for other in document.texts]
    best = max(range(len(overlaps)), key=overlaps.__getitem__)
    return best if overlaps[best] >= MIN_COPY_OVERLAP else None


def _overlap(one: str, other: str) -> float:
    """The share of common shingles, relative to the shorter text; blanks and punctuation are ignored."""
    shorter, longer = sorted((_normalized_text(one), _normalized_text(other)), key=len)
    if not _may_overlap(shorter, longer):
        return 0.0
    shingles, other_shingles = _shingles(shorter), _shingles(longer)
    return len(shingles & other_shingles) / (min(len(shingles), len(other_shingles)) or 1)


def _may_overlap(shorter: str, longer: str) -> bool:
    """False if none of the probed shingles is in both texts, which makes a large overlap impossible."""
    step = max(1, len(shorter) // MAX_SHINGLE_PROBES)
    return any(
        shorter[offset : offset + SHINGLE_LENGTH] in longer
        for offset in range(0, max(1, len(shorter) - SHINGLE_LENGTH + 1), step)
    )


@lru_cache(maxsize=4_096)
def _normalized_text(text: str) -> str:
    return _NOT_LETTERS.sub("", text.casefold())


def _shingles(normalized: str) -> set[str]:
    return {
        normalized[offset : offset + SHINGLE_LENGTH]
        for offset in range(max(1, len(normalized) - SHINGLE_LENGTH + 1))
    } - {""}
