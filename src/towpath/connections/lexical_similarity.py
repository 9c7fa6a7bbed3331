"""TF-IDF similarity between the chunks of two documents, and the terms that they share."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from towpath.connections.store import WordVectors
from towpath.connections.word_similarity import ChunkTerms, Floats, Indices, SoftTermMatch
from towpath.text.common_substrings import common_substrings
from towpath.text.common_words import COMMON_WORDS, CONTRACTION_STUMPS
from towpath.text.scripts import bigrams, is_unsegmented
from towpath.text.stemming import stem
from towpath.text.terms import is_english_text, spellings, terms

#: Weight of a common word, relative to a content term.
_COMMON_WORD_WEIGHT = 0.5
#: With at least this many chunks, terms that more than half of them contain are damped.
_MIN_CHUNKS_FOR_DAMPING = 8
#: Terms per dense block, and cells per block of pairs: both bound the memory.
_TERMS_PER_BLOCK = 512
_MAX_BLOCK_CELLS = 1 << 21


class TermOverlap:
    """The terms of two documents by chunk, each with its TF-IDF weight among the chunks of both."""

    def __init__(self, first: Sequence[str], second: Sequence[str], word_vectors: WordVectors | None) -> None:
        self._word_vectors = word_vectors
        self._texts = first, second
        terms_by_document = [[terms(text) for text in texts] for texts in self._texts]
        vocabulary = sorted(set(chain.from_iterable(chain.from_iterable(terms_by_document))))
        self._term_index = {term: number for number, term in enumerate(vocabulary)}
        chunk_counts = np.zeros(len(vocabulary), np.intp)
        sides: list[tuple[Indices, Indices, Floats]] = []
        for passages in terms_by_document:
            rows = np.repeat(np.arange(len(passages)), [len(passage) for passage in passages])
            numbers = map(self._term_index.__getitem__, chain.from_iterable(passages))
            term_indexes = np.fromiter(numbers, np.intp, len(rows))
            counts = np.fromiter(
                chain.from_iterable(passage.values() for passage in passages), np.float64, len(rows)
            )
            chunk_counts += np.bincount(term_indexes, minlength=len(vocabulary))
            sides.append((rows, term_indexes, counts))
        passages = len(first) + len(second)
        is_common = np.fromiter(map(COMMON_WORDS.__contains__, vocabulary), np.bool_, len(vocabulary))
        self._is_content_term = ~is_common
        self._idf = _inverse_document_frequency(chunk_counts, passages) * np.where(
            is_common, _COMMON_WORD_WEIGHT, 1.0
        )
        self._documents = [
            _DocumentTerms(rows, term_ids, (1 + np.log(counts)) * self._idf[term_ids], len(texts))
            for (rows, term_ids, counts), texts in zip(sides, self._texts, strict=True)
        ]
        self._shared_terms = np.intersect1d(self._documents[0].terms, self._documents[1].terms)

    @cached_property
    def _soft_match(self) -> SoftTermMatch | None:
        """Computed on first use: in most document pairs no chunk pair scores high enough to need it."""
        if self._word_vectors is None:
            return None
        spelling_by_term: dict[str, str] = {}
        for text in chain.from_iterable(self._texts):
            for term, word in spellings(text).items():
                spelling_by_term.setdefault(term, word)
        words = [spelling_by_term[term] for term in self._term_index]
        weights = self._word_vectors.word_weights(words)
        first, second = (side.chunk_terms.reweighted(weights) for side in self._documents)
        return SoftTermMatch(self._word_vectors.word_vectors(words), first, second)

    def mean_term_counts(self, row: int) -> Floats:
        """The geometric mean of the distinct terms of one chunk and of each chunk of the other document."""
        return np.sqrt(self._documents[0].term_counts[row] * self._documents[1].term_counts)

    def min_term_count(self, rows: Indices, columns: Indices) -> Floats:
        """For each pair of chunks, the smaller number of distinct terms."""
        return np.minimum(self._documents[0].term_counts[rows], self._documents[1].term_counts[columns])

    def tfidf_cosine(self, rows: Indices, columns: Indices) -> tuple[Floats, Floats]:
        """For each pair of chunks, the TF-IDF cosine and the number of shared content terms."""
        product, shared = np.zeros(len(rows)), np.zeros(len(rows))
        for start in range(0, len(self._shared_terms), _TERMS_PER_BLOCK):
            term_ids = self._shared_terms[start : start + _TERMS_PER_BLOCK]
            first, second = (side.dense_block(term_ids) for side in self._documents)
            is_content = self._is_content_term[term_ids]
            first_has, second_has = ((page[:, is_content] > 0).astype(np.float32) for page in (first, second))
            step = max(1, _MAX_BLOCK_CELLS // len(term_ids))
            for offset in range(0, len(rows), step):
                block = slice(offset, offset + step)
                product[block] += np.einsum("ij,ij->i", first[rows[block]], second[columns[block]])
                shared[block] += np.einsum("ij,ij->i", first_has[rows[block]], second_has[columns[block]])
        return product / (self._documents[0].norms[rows] * self._documents[1].norms[columns]), shared

    def both_english(self, rows: Indices, columns: Indices) -> NDArray[np.bool_]:
        """For each pair of chunks, whether both are in English."""
        first, second = (
            np.fromiter(map(is_english_text, texts), np.bool_, len(texts)) for texts in self._texts
        )
        return first[rows] & second[columns]

    def embedding_overlap(self, rows: Indices, columns: Indices) -> Floats:
        """For each pair, the word-embedding similarity in standard deviations above unrelated chunks."""
        return np.zeros(len(rows)) if self._soft_match is None else self._soft_match.z_scores(rows, columns)

    def shared_terms(self, row: int, column: int, limit: int) -> list[str]:
        """The content terms that both chunks contain, highest weight first, in their shortest spelling."""
        first, second = self._texts[0][row], self._texts[1][column]
        counts, other_counts = terms(first), terms(second)
        weights = {
            term: (1 + math.log(count))
            * (1 + math.log(other_counts[term]))
            * float(self._idf[self._term_index[term]]) ** 2
            for term, count in counts.items()
            if term in other_counts and term not in COMMON_WORDS and term not in CONTRACTION_STUMPS
        }
        weight_by_spelling = {
            min(spellings(first)[term], spellings(second)[term]): value
            for term, value in weights.items()
            if not is_unsegmented(term)
        }
        if len(weight_by_spelling) < len(weights):
            for run in common_substrings(first, second):
                weight_by_spelling[run] = max(weights.get(stem(pair), 0.0) for pair in bigrams(run))
        return sorted(weight_by_spelling, key=lambda word: (-weight_by_spelling[word], word))[:limit]


def _inverse_document_frequency(chunk_counts: Indices, chunks: int) -> Floats:
    """Higher for rarer terms; with enough chunks, zero for a term that all chunks contain."""
    idf = np.log(1 + (chunks + 1) / np.maximum(chunk_counts, 1))
    return (
        idf
        if chunks < _MIN_CHUNKS_FOR_DAMPING
        else idf * np.minimum(1.0, 2.0 * (1.0 - chunk_counts / chunks))
    )


class _DocumentTerms:
    """The terms of one document: chunk, term and weight of each, sorted by term."""

    def __init__(self, rows: Indices, terms: Indices, weights: Floats, passages: int) -> None:
        self.chunk_terms = ChunkTerms(rows, terms, weights, passages)
        order = np.argsort(terms, kind="stable")
        self._rows, self.terms, self._weights = rows[order], terms[order], weights[order]
        self.term_counts: Floats = np.maximum(np.bincount(rows, minlength=passages), 1).astype(np.float64)
        lengths = np.sqrt(np.bincount(rows, weights * weights, minlength=passages))
        self.norms: Floats = np.where(lengths > 0, lengths, 1.0)

    def dense_block(self, term_ids: Indices) -> Floats:
        """The weights as a dense matrix: a row per chunk, a column per given term (ids ascending)."""
        block = np.zeros((len(self.norms), len(term_ids)))
        start, end = np.searchsorted(self.terms, (term_ids[0], term_ids[-1] + 1))
        document_term_ids = self.terms[start:end]
        column = np.searchsorted(term_ids, document_term_ids)
        is_chosen = term_ids[column] == document_term_ids
        block[self._rows[start:end][is_chosen], column[is_chosen]] = self._weights[start:end][is_chosen]
        return block
