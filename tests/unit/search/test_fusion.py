"""Word scores and similarities are normalised over the candidates and added by weight."""

from __future__ import annotations

import pytest

from towpath.search.contract import RankedChunk
from towpath.search.embedding_model_profile import ModelProfile
from towpath.search.fusion import OTHER_LANGUAGE_SHARE, by_words_only, coverage_factor, fuse, promote

WORDS = {1: 10.0, 2: 5.0, 3: 0.0}
MEANING = {1: 0.2, 2: 0.6, 3: 0.7}


def order(weight: float, coverage: float = 1.0) -> list[int]:
    return [chunk.chunk_rowid for chunk in fuse(WORDS, MEANING, weight=weight, coverage=coverage)]


def test_the_weight_decides_between_words_and_meaning():
    assert order(0.0) == [1, 2, 3]
    assert order(1.0) == [3, 2, 1]
    assert order(0.5)[0] == 2


def test_words_count_less_if_no_chunk_covers_half_of_the_query():
    assert coverage_factor(0.8) == coverage_factor(0.5) == 1.0
    assert coverage_factor(0.1) == pytest.approx(0.2)
    assert order(0.3, coverage=0.1) == [3, 2, 1]


def test_both_scores_are_normalised_over_the_candidates():
    second = next(chunk for chunk in fuse(WORDS, MEANING, weight=0.3, coverage=1.0) if chunk.chunk_rowid == 2)
    assert second.word_score_normalised == pytest.approx(0.5)
    assert second.similarity_normalised == pytest.approx(0.8)
    assert second.score == pytest.approx(0.3 * 0.8 + 0.7 * 0.5)


def test_a_chunk_in_another_language_has_a_share_of_its_similarity_for_the_words_it_cannot_have():
    words, meaning = {1: 10.0, 2: 6.0, 3: 0.0}, {1: 0.6, 2: 0.3, 3: 0.7}
    plain = fuse(words, meaning, weight=0.3, coverage=1.0)
    assert [chunk.chunk_rowid for chunk in plain] == [1, 2, 3]
    mixed = fuse(words, meaning, weight=0.3, coverage=1.0, other_language={3})
    # The best answer in the language of the query stays first.
    assert [chunk.chunk_rowid for chunk in mixed] == [1, 3, 2]
    assert mixed[1].score == pytest.approx(0.3 + 0.7 * OTHER_LANGUAGE_SHARE)
    # Words that it does have count if they are more.
    assert fuse(words, meaning, weight=0.3, coverage=1.0, other_language={1})[0] == plain[0]


def test_a_chunk_without_a_vector_keeps_its_word_score():
    fused = fuse({1: 4.0, 2: 1.0}, {2: 0.9}, weight=0.3, coverage=1.0)
    assert [chunk.similarity for chunk in fused if chunk.chunk_rowid == 1] == [None]
    assert fused[0].chunk_rowid == 1


def test_promoted_chunks_come_first_with_higher_scores():
    fused = promote([3], fuse(WORDS, MEANING, weight=0.0, coverage=1.0))
    assert [chunk.chunk_rowid for chunk in fused] == [3, 1, 2]
    assert fused[0].score >= fused[1].score


def test_without_vectors_the_order_is_that_of_the_words():
    fused = by_words_only([RankedChunk(5, 3.0), RankedChunk(4, 1.5)])
    assert [(chunk.chunk_rowid, chunk.word_score_normalised) for chunk in fused] == [(5, 1.0), (4, 0.5)]


def test_a_model_has_little_weight_in_a_language_that_it_does_not_know():
    profile = ModelProfile(weight=0.4, languages=frozenset({"en"}))
    assert profile.weight_for("en") == profile.weight_for(None) == 0.4
    assert profile.weight_for("el") <= 0.1
    assert ModelProfile(weight=0.4, languages=None).weight_for("el") == 0.4
