"""Reciprocal rank fusion: merges result lists by rank, because their scores are not comparable."""

from __future__ import annotations

from collections.abc import Sequence

from towpath.search.contract import RankedChunk

#: The usual constant of reciprocal rank fusion; results hardly depend on it.
K = 60


def fuse(lists: Sequence[Sequence[RankedChunk]], k: int = K) -> list[RankedChunk]:
    """Best first. Ties are broken by the best rank in any list, then by row id, so the order is stable."""
    scores: dict[int, float] = {}
    best_rank: dict[int, int] = {}
    for ranked_chunks in lists:
        for rank, ranked in enumerate(ranked_chunks, start=1):
            scores[ranked.chunk_rowid] = scores.get(ranked.chunk_rowid, 0.0) + 1 / (k + rank)
            best_rank[ranked.chunk_rowid] = min(best_rank.get(ranked.chunk_rowid, rank), rank)
    order = sorted(scores, key=lambda number: (-scores[number], best_rank[number], number))
    return [RankedChunk(number, scores[number]) for number in order]


def promote(first: Sequence[RankedChunk], rest: Sequence[RankedChunk]) -> list[RankedChunk]:
    """Puts ``first`` before ``rest``, with higher scores."""
    first_rowids = {ranked.chunk_rowid for ranked in first}
    top_score = rest[0].score if rest else 0.0
    promoted = [
        RankedChunk(ranked.chunk_rowid, top_score + 1 / place) for place, ranked in enumerate(first, start=1)
    ]
    return promoted + [ranked for ranked in rest if ranked.chunk_rowid not in first_rowids]
