"""Batches are divided by halving, and answered parts are kept."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from towpath.providers.contract import BatchLimit
from towpath.stages.support.embedding_batches import divide, half_size, halves, subdivisions

LIMIT = BatchLimit("server model", 2048, 300_000, len)


def _divide(size: int, max_inputs: int, answered: set[range] | None = None, tokens: int = 1) -> list[range]:
    return list(divide(range(size), LIMIT, max_inputs, [tokens] * size, answered or set()))


def test_a_batch_within_the_limits_is_not_divided() -> None:
    assert _divide(2000, 2048) == [range(2000)]


def test_a_batch_is_halved_until_its_parts_fit() -> None:
    assert _divide(10, 3) == [range(2), range(2, 5), range(5, 7), range(7, 10)]


def test_a_batch_is_halved_until_its_tokens_fit() -> None:
    assert _divide(4, 2048, tokens=100_000) == [range(2), range(2, 4)]


def test_a_single_text_is_never_divided() -> None:
    assert _divide(2, 2048, tokens=400_000) == [range(1), range(1, 2)]


def test_an_answered_batch_is_kept_although_it_is_too_large() -> None:
    assert _divide(8, 2, {range(4)}) == [range(4), range(4, 6), range(6, 8)]


def test_the_rest_of_a_partly_answered_batch_is_requested_in_the_largest_parts() -> None:
    assert _divide(8, 2048, {range(2, 4)}) == [range(2), range(2, 4), range(4, 8)]


def test_the_larger_half_has_half_the_size_rounded_up() -> None:
    assert [half_size(range(size)) for size in (2, 3, 63)] == [1, 2, 32]
    assert max(map(len, halves(range(63)))) == 32


@given(st.integers(1, 300), st.integers(1, 300), st.data())
def test_the_parts_cover_every_text_once_and_are_subdivisions(
    size: int, max_inputs: int, data: st.DataObject
) -> None:
    parts = list(subdivisions(range(size)))
    answered = set(data.draw(st.lists(st.sampled_from(parts), max_size=5)))
    divided = _divide(size, max_inputs, answered)
    assert [position for part in divided for position in part] == list(range(size))
    assert all(part in parts for part in divided)
    assert all(len(part) <= max_inputs or part in answered for part in divided)
