"""A shelf finds the nearest vectors exactly, whatever came and went, and never changes for who holds it."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from towpath.providers.contract import Vectors
from towpath.search.shelf import Row, Shelf

DIMENSION = 8


def unit(seed: int) -> Vectors:
    vector = np.random.default_rng(seed).standard_normal(DIMENSION).astype(np.float32)
    return (vector / np.linalg.norm(vector)).astype(np.float32)


def row(number: int, document: str = "a") -> Row:
    return Row(number, document, unit(number).tobytes())


def exact(numbers: set[int], vector: Vectors, depth: int) -> list[int]:
    scores = {number: float(np.einsum("i,i->", unit(number), vector)) for number in numbers}
    return sorted(numbers, key=lambda number: (-scores[number], number))[:depth]


def found(shelf: Shelf, vector: Vectors, depth: int, documents: set[str] | None = None) -> list[int]:
    return [ranked.number for ranked in shelf.nearest(vector, depth, documents)]


def test_an_empty_shelf_finds_nothing():
    assert found(Shelf.empty(DIMENSION, 0), unit(0), 5) == []


def test_equals_go_by_number_even_at_the_last_place():
    same = unit(1).tobytes()
    shelf = Shelf.empty(DIMENSION, 10).with_rows([Row(number, "a", same) for number in (5, 3, 9, 1)])
    assert found(shelf, unit(1), 2) == [1, 3]


def test_only_the_wanted_documents_are_looked_at():
    shelf = Shelf.empty(DIMENSION, 4).with_rows([row(n, "a" if n % 2 else "b") for n in range(20)])
    assert set(found(shelf, unit(99), 20, {"b"})) == set(range(0, 20, 2))
    assert set(found(shelf, unit(99), 20, {"a", "b"})) == set(range(20))
    assert found(shelf, unit(99), 20, {"unheard of"}) == []


def test_who_holds_a_shelf_keeps_what_was_on_it():
    before = Shelf.empty(DIMENSION, 4).with_rows([row(1), row(2)])
    after = before.without([1]).with_rows([row(3)])
    assert set(found(before, unit(5), 9)) == {1, 2}
    assert set(found(after, unit(5), 9)) == {2, 3}


_STEPS = st.lists(st.tuples(st.booleans(), st.sets(st.integers(0, 60), min_size=1, max_size=15)), max_size=12)


@given(_STEPS, st.integers(1, 20))
def test_whatever_comes_and_goes_the_nearest_are_exact(steps: list[tuple[bool, set[int]]], depth: int):
    shelf = Shelf.empty(DIMENSION, 2)
    there: set[int] = set()
    for comes, numbers in steps:
        shelf = shelf.without(numbers)
        there -= numbers
        if comes:
            shelf = shelf.with_rows([row(number) for number in sorted(numbers)])
            there |= numbers
        assert found(shelf, unit(1_000), depth) == exact(there, unit(1_000), depth)
