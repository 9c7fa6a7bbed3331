"""Word-embedding similarity of two chunks: each word is matched with the most similar word of the other chunk.

The embedding of a whole chunk is a mean of all its words and hides a few similar words, such as "train" and
"locomotive".
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from towpath.connections.similarity_baseline import REFERENCE_TERMS
from towpath.providers.contract import Vectors

Indices = NDArray[np.intp]
Floats = NDArray[np.float64]

#: Below this cosine two words count as unrelated.
MIN_WORD_COSINE = 0.2
#: Similarity of unrelated chunks: with more words the best match is closer by chance. The mean grows by
#: NOISE_MEAN_PER_WORD per word; the spread grows with the number of words to the power NOISE_EXPONENT.
NOISE_MEAN_PER_WORD, NOISE_SPREAD, NOISE_EXPONENT = 0.0011, 0.0075, 0.4
#: Chunks compared with one chunk per matrix product, which bounds the memory.
CHUNKS_PER_PRODUCT = 64


@dataclass(frozen=True, slots=True)
class ChunkTerms:
    """The terms of the chunks of one document, sorted by chunk, and the weight of each."""

    rows: Indices
    words: Indices
    weights: Floats
    chunk_count: int

    def reweighted(self, word_weights: Vectors) -> ChunkTerms:
        """The same terms with their weights multiplied by the weights of the words."""
        return ChunkTerms(self.rows, self.words, self.weights * word_weights[self.words], self.chunk_count)

    def starts(self) -> Indices:
        return np.searchsorted(self.rows, np.arange(self.chunk_count + 1))


class SoftTermMatch:
    """Compares chunks of two documents by the vectors of their words."""

    def __init__(self, vectors: Vectors, first: ChunkTerms, second: ChunkTerms) -> None:
        self._vectors = vectors
        self._documents = first, second
        self._starts = first.starts(), second.starts()

    def z_scores(self, rows: Indices, columns: Indices) -> Floats:
        """The similarity of each pair of chunks, in standard deviations above unrelated chunks."""
        similarities = np.zeros(len(rows))
        order = np.argsort(rows, kind="stable")
        for same_row in np.split(order, np.flatnonzero(np.diff(rows[order])) + 1):
            for start in range(0, len(same_row), CHUNKS_PER_PRODUCT):
                batch = same_row[start : start + CHUNKS_PER_PRODUCT]
                similarities[batch] = self._row_similarity(int(rows[batch[0]]), columns[batch])
        counts = [np.diff(starts) for starts in self._starts]
        words = np.maximum(REFERENCE_TERMS, np.sqrt(counts[0][rows] * counts[1][columns]))
        return (similarities - NOISE_MEAN_PER_WORD * words) / (NOISE_SPREAD * words**NOISE_EXPONENT)

    def _row_similarity(self, row: int, columns: Indices) -> Floats:
        """The similarity of one chunk and each of the others, from 0 to 1 (the same words)."""
        first, second = self._documents
        row_slice = slice(self._starts[0][row], self._starts[0][row + 1])
        lengths = self._starts[1][columns + 1] - self._starts[1][columns]
        non_empty = np.flatnonzero(lengths)
        similarities = np.zeros(len(columns))
        if row_slice.start == row_slice.stop or not len(non_empty):
            return similarities
        columns, lengths = columns[non_empty], lengths[non_empty]
        offsets = np.concatenate(([0], np.cumsum(lengths)[:-1]))
        column_terms = np.repeat(self._starts[1][columns] - offsets, lengths) + np.arange(int(lengths.sum()))
        cosines = self._vectors[first.words[row_slice]] @ self._vectors[second.words[column_terms]].T
        best_of_row = np.maximum.reduceat(cosines, offsets, axis=1)
        weights, column_weights = first.weights[row_slice], second.weights[column_terms]
        # One weighted mean over the words of both; else the only word of a heading could match a whole page.
        row_sum = weights @ _rescale(best_of_row)
        column_sum = np.add.reduceat(column_weights * _rescale(cosines.max(axis=0)), offsets)
        total = weights.sum() + np.add.reduceat(column_weights, offsets)
        # All weights are 0 in a chunk whose terms are in every chunk.
        similarities[non_empty] = (row_sum + column_sum) / np.where(total > 0, total, 1.0)
        return similarities


def _rescale(cosines: Vectors) -> Floats:
    return np.maximum(0.0, (cosines.astype(np.float64) - MIN_WORD_COSINE) / (1.0 - MIN_WORD_COSINE))
