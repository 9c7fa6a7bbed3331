"""Adds to the score of a candidate a share of the scores of the candidates with the nearest vectors.

Texts that are similar to each other tend to answer the same questions. A candidate whose neighbours match the query
too is therefore a better answer than one that matches alone. Neighbours are candidates of other documents.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from towpath.providers.contract import Vectors
from towpath.search.fusion import FusedChunk

#: The best candidates, whose neighbours are looked at; the neighbours are among them too.
CANDIDATES = 50
#: The neighbours of a candidate that count.
NEIGHBOURS = 3
#: The share of the neighbours in the score, for a model that knows the language of the query. Measured: docs/why/.
SHARE = 0.3
#: From this cosine on a text is a copy, which is no further sign that the text answers the query.
COPY_SIMILARITY = 0.98


def add_neighbours(
    fused: Sequence[FusedChunk],
    vectors: Mapping[int, Vectors],
    document_of: Callable[[int], str | None],
    *,
    share: float,
    noise_similarity: float,
) -> list[FusedChunk]:
    """Best first. A chunk without a neighbour, and every chunk after the best candidates, has no share of others."""
    best = [chunk for chunk in fused[:CANDIDATES] if chunk.chunk_rowid in vectors]
    supports = dict.fromkeys((chunk.chunk_rowid for chunk in fused), 0.0)
    if len(best) > 1:
        matrix = np.stack([vectors[chunk.chunk_rowid] for chunk in best])
        cosines = np.einsum("ik,jk->ij", matrix, matrix)
        code_by_document: dict[str | None, int] = {}
        codes = np.array(
            [
                code_by_document.setdefault(document_of(chunk.chunk_rowid), len(code_by_document))
                for chunk in best
            ]
        )
        cosines[(codes[:, None] == codes[None, :]) | (cosines >= COPY_SIMILARITY) | (cosines < 0)] = 0.0
        scores = np.array([chunk.score for chunk in best], np.float32)
        nearest = np.argsort(-cosines, axis=1, kind="stable")[:, :NEIGHBOURS]
        weights = np.take_along_axis(cosines, nearest, axis=1)
        # Few or distant neighbours count less than three whose similarity is above the noise of the model.
        least = max(NEIGHBOURS * noise_similarity, np.finfo(np.float32).tiny)
        found = (weights * scores[nearest]).sum(axis=1) / np.maximum(weights.sum(axis=1), least)
        supports |= {chunk.chunk_rowid: float(value) for chunk, value in zip(best, found, strict=True)}
    # Not `replace`, which takes five times as long.
    supported = [
        FusedChunk(
            chunk.chunk_rowid,
            (1 - share) * chunk.score + share * supports[chunk.chunk_rowid],
            chunk.word_score,
            chunk.word_score_normalised,
            chunk.similarity,
            chunk.similarity_normalised,
            supports[chunk.chunk_rowid],
            chunk.ngram_score,
        )
        for chunk in fused
    ]
    return sorted(supported, key=lambda chunk: (-chunk.score, chunk.chunk_rowid))
