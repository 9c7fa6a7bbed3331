"""The measures of the relevance benchmark, and its small collection."""

from __future__ import annotations

import pytest

from bench.relevance.baseline import search_baseline
from bench.relevance.collection import find_collections, read_collection
from bench.relevance.ndcg import mean_ndcg, ndcg
from bench.relevance.scenario import OWN_COLLECTION


def test_the_best_order_has_an_ndcg_of_one() -> None:
    grades = {"a": 2, "b": 1}
    assert ndcg(["a", "b", "c"], grades) == pytest.approx(1.0)
    assert ndcg(["c", "a", "b"], grades) < 1.0
    assert ndcg(["c"], grades) == 0.0


def test_the_collection_of_the_repository_is_complete() -> None:
    collection = read_collection(find_collections(OWN_COLLECTION)[0])
    known = {text.id for text in collection.corpus}
    assert set(collection.queries) == set(collection.judgments)
    assert {text for grades in collection.judgments.values() for text in grades} <= known


def test_the_reference_finds_most_answers_of_the_collection() -> None:
    collection = read_collection(OWN_COLLECTION)
    assert mean_ndcg(search_baseline(collection, "en"), collection.judgments) > 0.4
