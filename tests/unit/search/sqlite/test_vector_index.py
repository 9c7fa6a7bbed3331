"""The vector index finds the nearest vectors exactly after any changes, and snapshots do not change."""

from __future__ import annotations

from unittest.mock import patch

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from towpath.providers.contract import Vectors
from towpath.search.sqlite import vector_index
from towpath.search.sqlite.vector_index import VectorIndex, VectorRow

DIMENSION = 8


def unit(seed: int) -> Vectors:
    vector = np.random.default_rng(seed).standard_normal(DIMENSION).astype(np.float32)
    return (vector / np.linalg.norm(vector)).astype(np.float32)


def row(number: int, document: str = "a") -> VectorRow:
    return VectorRow(number, document, unit(number).tobytes())


def exact(numbers: set[int], vector: Vectors, depth: int) -> list[int]:
    scores = {number: float(np.einsum("i,i->", unit(number), vector)) for number in numbers}
    return sorted(numbers, key=lambda number: (-scores[number], number))[:depth]


def found(index: VectorIndex, vector: Vectors, depth: int, documents: set[str] | None = None) -> list[int]:
    return [ranked.chunk_rowid for ranked in index.nearest(vector, depth, documents)]


def test_an_empty_index_finds_nothing():
    assert found(VectorIndex.empty(DIMENSION, 0), unit(0), 5) == []


def test_ties_are_broken_by_row_id_also_at_the_cut():
    same = unit(1).tobytes()
    index = VectorIndex.empty(DIMENSION, 10).add([VectorRow(number, "a", same) for number in (5, 3, 9, 1)])
    assert found(index, unit(1), 2) == [1, 3]


def test_the_search_can_be_limited_to_documents():
    index = VectorIndex.empty(DIMENSION, 4).add([row(n, "a" if n % 2 else "b") for n in range(20)])
    assert set(found(index, unit(99), 20, {"b"})) == set(range(0, 20, 2))
    assert set(found(index, unit(99), 20, {"a", "b"})) == set(range(20))
    assert found(index, unit(99), 20, {"unheard of"}) == []


def test_a_snapshot_does_not_change():
    before = VectorIndex.empty(DIMENSION, 4).add([row(1), row(2)])
    after = before.remove([1]).add([row(3)])
    assert set(found(before, unit(5), 9)) == {1, 2}
    assert set(found(after, unit(5), 9)) == {2, 3}


_STEPS = st.lists(st.tuples(st.booleans(), st.sets(st.integers(0, 60), min_size=1, max_size=15)), max_size=12)


@given(_STEPS, st.integers(1, 20))
def test_the_nearest_are_exact_after_any_additions_and_removals(
    steps: list[tuple[bool, set[int]]], depth: int
):
    index = VectorIndex.empty(DIMENSION, 2)
    there: set[int] = set()
    for comes, numbers in steps:
        index = index.remove(numbers)
        there -= numbers
        if comes:
            index = index.add([row(number) for number in sorted(numbers)])
            there |= numbers
        assert found(index, unit(1_000), depth) == exact(there, unit(1_000), depth)


@given(st.sets(st.integers(0, 300), max_size=200), st.integers(1, 20), st.integers(3, 40))
def test_the_nearest_of_many_are_those_of_single_queries(
    numbers: set[int], depth: int, rows_per_product: int
):
    index = VectorIndex.empty(DIMENSION, 2).add([row(n, "a" if n % 3 else "b") for n in sorted(numbers)])
    index = index.remove([number for number in numbers if number % 7 == 0])
    there = {number for number in numbers if number % 7 and number % 3}
    queries = np.stack([unit(1_000 + n) for n in range(5)])
    with (
        patch.object(vector_index, "_ROWS_PER_PRODUCT", rows_per_product),
        patch.object(vector_index, "_GROUPS", 8),
        patch.object(vector_index, "_QUERIES_PER_PRODUCT", 2),
    ):
        many = index.nearest_many(queries, depth, excluded_document="b")
    assert [[ranked.chunk_rowid for ranked in nearest] for nearest in many] == [
        exact(there, query, depth) for query in queries
    ]
