"""Word-embedding similarity: chunks with similar words score high though they share no word."""

from __future__ import annotations

import numpy as np
import pytest

from towpath.connections import word_similarity
from towpath.connections.lexical_similarity import TermOverlap
from towpath.providers.local.embeddings.wordllama_model import WordLlamaVectors

RAILWAY = "The locomotive pulled its carriages out of the station while the passengers waved."
TRAIN = "A train left the railroad depot, and travellers leaned from every window."
PENSION = "Your pension statement shows the contributions which the employer has paid."
WITHOUT_WORDS = "... 12 --"


def _similarities(first: list[str], second: list[str]) -> np.ndarray:
    rows, columns = np.divmod(np.arange(len(first) * len(second)), len(second))
    return (
        TermOverlap(first, second, WordLlamaVectors())
        .embedding_overlap(rows, columns)
        .reshape(len(first), len(second))
    )


def test_similar_words_score_higher_than_unrelated_words() -> None:
    train, pension = _similarities([RAILWAY], [TRAIN, PENSION])[0]
    assert train > 2 > pension


def test_the_same_words_score_highest() -> None:
    itself, train = _similarities([RAILWAY], [RAILWAY, TRAIN])[0]
    assert itself > 5 * train


def test_the_similarity_is_symmetric() -> None:
    texts = [RAILWAY, TRAIN, PENSION]
    assert _similarities(texts, texts[::-1]) == pytest.approx(_similarities(texts[::-1], texts).T)


def test_a_chunk_without_words_is_similar_to_nothing() -> None:
    similarities = _similarities([RAILWAY, WITHOUT_WORDS], [WITHOUT_WORDS, TRAIN])
    assert max(similarities[0, 0], similarities[1, 0], similarities[1, 1]) < 0 < similarities[0, 1]


def test_a_word_that_all_chunks_contain_counts_for_nothing() -> None:
    assert _similarities(["Towpath."] * 4, ["Towpath!"] * 4).max() < 0


def test_two_numbers_are_not_similar() -> None:
    assert _similarities(["Part II, 1806."], ["Released in November, 1996."])[0, 0] < 0


def test_batches_give_the_same_result_as_one_product(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    texts = [RAILWAY, TRAIN, WITHOUT_WORDS, PENSION, f"{TRAIN} {PENSION}"]
    whole = _similarities([RAILWAY, TRAIN], texts)
    monkeypatch.setattr(word_similarity, "CHUNKS_PER_PRODUCT", 2)
    assert _similarities([RAILWAY, TRAIN], texts) == pytest.approx(whole)


def test_a_heading_of_one_word_does_not_match_a_whole_page() -> None:
    page = " ".join(
        [PENSION, TRAIN, "The carpenter measured the oak beam twice before he reached for the saw."]
    )
    heading, sentence = _similarities(["Pension", PENSION], [page])[:, 0]
    assert sentence > 3 * heading
