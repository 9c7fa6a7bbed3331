"""A candidate whose neighbours match the query too comes before one that matches alone."""

from __future__ import annotations

import numpy as np
import pytest

from towpath.providers.contract import Vectors
from towpath.search.fusion import FusedChunk
from towpath.search.neighbour_boost import CANDIDATES, add_neighbours


def chunk(number: int, score: float) -> FusedChunk:
    return FusedChunk(number, score, 0.0, 0.0, None, 0.0)


def at(degrees: float) -> Vectors:
    radians = np.radians(degrees)
    return np.array([np.cos(radians), np.sin(radians)], np.float32)


def order(
    fused: list[FusedChunk], angles: dict[int, float], same_document: frozenset[int] = frozenset()
) -> list[int]:
    vectors = {number: at(degrees) for number, degrees in angles.items()}
    ranked = add_neighbours(
        fused,
        vectors,
        lambda number: "same" if number in same_document else str(number),
        share=0.3,
        noise_similarity=0.3,
    )
    assert [chunk.score for chunk in ranked] == sorted((chunk.score for chunk in ranked), reverse=True)
    return [chunk.chunk_rowid for chunk in ranked]


def test_a_candidate_with_similar_candidates_rises():
    fused = [chunk(1, 0.9), chunk(2, 0.8), chunk(3, 0.75), chunk(4, 0.7)]
    # 2, 3 and 4 are near to each other, and 1 is far away.
    assert order(fused, {1: 130, 2: 0, 3: 15, 4: 30})[0] == 2


def test_copies_and_passages_of_the_same_document_are_no_support():
    fused = [chunk(1, 0.9), chunk(2, 0.8), chunk(3, 0.75), chunk(4, 0.7)]
    assert order(fused, {1: 100, 2: 0, 3: 0, 4: 0}) == [1, 2, 3, 4]
    assert order(fused, {1: 130, 2: 0, 3: 15, 4: 30}, frozenset({2, 3, 4})) == [1, 2, 3, 4]


def test_a_match_of_the_words_stays_before_what_is_only_similar():
    # The best possible support does not lift what has only the share of the similarity.
    fused = [chunk(1, 1.0), chunk(2, 0.3), chunk(3, 0.3), chunk(4, 0.3)]
    assert order(fused, {1: 0, 2: 15, 3: 20, 4: 25})[0] == 1


def test_without_neighbours_the_order_stays():
    fused = [chunk(number, 1 - number / 100) for number in range(CANDIDATES + 20)]
    assert order(fused, {}) == list(range(CANDIDATES + 20))
    assert order(fused[:1], {0: 10}) == [0]
    assert order([], {}) == []


def test_the_score_is_the_share_of_the_nearest_three():
    vectors = {1: at(0), 2: at(60), 3: at(90)}
    ranked = add_neighbours(
        [chunk(1, 1.0), chunk(2, 0.5), chunk(3, 0.2)], vectors, str, share=0.5, noise_similarity=0.0
    )
    first = next(chunk for chunk in ranked if chunk.chunk_rowid == 1)
    assert first.neighbour_score == pytest.approx(0.5)
    assert first.score == pytest.approx(0.5 * 1.0 + 0.5 * 0.5)
