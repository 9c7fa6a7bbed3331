"""Connections are right often enough, and found often enough, on documents with known pairs."""

from __future__ import annotations

import pytest

from bench.quality.scenario import CHOSEN_WITH, HELD_OUT, WALDEN, Shelf, measure
from bench.quality.strangers import PASSAGES, learn
from towpath.providers.local.wordllama import StaticEmbedder, embed_statically
from towpath.stages.background import MEASURED, guess


@pytest.mark.parametrize("shelf", [CHOSEN_WITH, HELD_OUT], ids=["chosen with", "held out"])
def test_given_documents_with_known_pairs_then_most_are_found_and_few_others(shelf: Shelf) -> None:
    quality = measure(embed_statically, shelf)
    assert quality.precision >= 0.9
    assert quality.recall >= 0.8


def test_given_a_book_whose_subjects_are_all_alike_then_fewer_are_found_and_still_few_others() -> None:
    quality = measure(embed_statically, WALDEN)
    assert quality.precision >= 0.9
    assert quality.recall >= 0.7


def test_the_zero_of_the_default_model_is_what_it_says_of_strangers() -> None:
    learnt, known = learn(embed_statically(list(PASSAGES))), MEASURED[StaticEmbedder.model]
    assert (learnt.mean, learnt.spread) == pytest.approx((known.mean, known.spread), abs=0.001)


def test_the_zero_of_another_model_is_guessed_from_passages_of_the_library() -> None:
    guessed, known = guess(embed_statically(list(PASSAGES))), MEASURED[StaticEmbedder.model]
    assert (guessed.mean, guessed.spread) == pytest.approx((known.mean, known.spread), abs=0.03)
