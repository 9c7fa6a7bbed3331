"""Connections have enough precision and recall on documents with known pairs."""

from __future__ import annotations

from dataclasses import astuple

import pytest

from tests.support.books import BOOKS
from tests.support.connection_quality import (
    UNRELATED_SHORT,
    Source,
    as_volumes,
    measure_baseline,
    measure_quality,
)
from towpath.connections.similarity_baseline import BASELINES, estimate_baseline
from towpath.providers.local.embeddings.wordllama import WordLlamaEmbedder, embed_with_wordllama


@pytest.mark.parametrize("book", ["village_book", "fables"])
def test_most_known_pairs_of_chapters_on_different_subjects_are_found(book: str) -> None:
    quality = measure_quality(embed_with_wordllama, as_volumes(BOOKS[book]))
    assert quality.precision >= 0.9
    assert quality.recall >= 0.8


@pytest.mark.slow
@pytest.mark.parametrize("book", ["walden", "beagle", "mississippi"])
def test_precision_is_high_for_chapters_on_similar_subjects(book: str) -> None:
    quality = measure_quality(embed_with_wordllama, as_volumes(BOOKS[book]))
    assert quality.precision >= 0.8
    assert quality.recall >= 0.6


@pytest.mark.slow
def test_fewer_than_2_percent_of_unrelated_pairs_are_connected() -> None:
    documents = [{text: None} for book in BOOKS.values() for text in book.unrelated]
    pairs = len(documents) * (len(documents) - 1) // 2
    assert measure_quality(embed_with_wordllama, documents).found < 0.02 * pairs


def test_the_same_heading_in_two_documents_is_not_connected() -> None:
    documents = [{"## Release notes": Source(0)}, {"## Release notes": Source(0)}]
    assert measure_quality(embed_with_wordllama, documents).found == 0


def test_the_stored_baseline_of_the_default_model_is_the_measured_one() -> None:
    measured, stored = measure_baseline(embed_with_wordllama), BASELINES[WordLlamaEmbedder.model]
    assert astuple(measured) == pytest.approx(astuple(stored), abs=0.001)


def test_the_baseline_of_another_model_is_estimated_from_stored_chunks() -> None:
    estimate, stored = (
        estimate_baseline(embed_with_wordllama(list(UNRELATED_SHORT))),
        BASELINES[WordLlamaEmbedder.model],
    )
    assert (estimate.mean, estimate.spread) == pytest.approx((stored.mean, stored.spread), abs=0.03)
