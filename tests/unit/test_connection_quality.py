"""Connections are right often enough, and found often enough, on documents with known pairs."""

from __future__ import annotations

from dataclasses import astuple

import pytest

from bench.quality.scenario import SHELVES, SHORT, Place, in_volumes, measure
from bench.quality.strangers import PASSAGES, learn
from towpath.providers.local.wordllama import StaticEmbedder, embed_statically
from towpath.stages.background import MEASURED, guess


@pytest.mark.parametrize("book", ["village book", "fables"])
def test_given_documents_with_known_pairs_then_most_are_found_and_few_others(book: str) -> None:
    quality = measure(embed_statically, in_volumes(SHORT[book]))
    assert quality.precision >= 0.9
    assert quality.recall >= 0.8


@pytest.mark.parametrize("book", ["Walden", "Beagle", "Mississippi"])
def test_given_a_book_whose_subjects_are_all_alike_then_fewer_are_found_and_still_few_others(
    book: str,
) -> None:
    quality = measure(embed_statically, in_volumes(SHELVES[book]))
    assert quality.precision >= 0.8
    assert quality.recall >= 0.6


def test_given_texts_that_belong_to_nobody_then_hardly_any_two_of_them_are_connected() -> None:
    strangers = [{text: None} for shelf in SHELVES.values() for text in shelf.strangers]
    pairs = len(strangers) * (len(strangers) - 1) // 2
    assert measure(embed_statically, strangers).found < 0.02 * pairs


def test_given_the_same_heading_in_two_documents_then_it_connects_nothing() -> None:
    documents = [{"## Release notes": Place(0)}, {"## Release notes": Place(0)}]
    assert measure(embed_statically, documents).found == 0


def test_the_zero_of_the_default_model_is_what_it_says_of_strangers() -> None:
    learnt, known = learn(embed_statically), MEASURED[StaticEmbedder.model]
    assert astuple(learnt) == pytest.approx(astuple(known), abs=0.001)


def test_the_zero_of_another_model_is_guessed_from_passages_of_the_library() -> None:
    guessed, known = guess(embed_statically(list(PASSAGES))), MEASURED[StaticEmbedder.model]
    assert (guessed.mean, guessed.spread) == pytest.approx((known.mean, known.spread), abs=0.03)
