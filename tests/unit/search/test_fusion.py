"""Fusion makes one order of several, and always the same one."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from towpath.search.contract import Ranked
from towpath.search.fusion import fuse


def ranked(*numbers: int) -> list[Ranked]:
    return [Ranked(number, 1.0) for number in numbers]


def order(*lists: list[Ranked]) -> list[int]:
    return [one.number for one in fuse(lists)]


def test_what_both_lists_know_comes_before_what_one_knows():
    assert order(ranked(1, 2, 3), ranked(9, 3, 8)) == [3, 1, 9, 2, 8]


def test_equals_go_by_number():
    assert order(ranked(7), ranked(5)) == [5, 7]
    assert order(ranked(5), ranked(7)) == [5, 7]


def test_one_list_keeps_its_order():
    assert order(ranked(3, 1, 2)) == [3, 1, 2]
    assert order(ranked(3, 1, 2), []) == [3, 1, 2]


_LISTS = st.lists(st.lists(st.integers(0, 30), unique=True, max_size=20), max_size=3)


@given(_LISTS)
def test_everything_found_is_there_once_and_scores_fall(lists: list[list[int]]):
    fused = fuse([ranked(*numbers) for numbers in lists])
    assert sorted(one.number for one in fused) == sorted({number for numbers in lists for number in numbers})
    assert [one.score for one in fused] == sorted((one.score for one in fused), reverse=True)
