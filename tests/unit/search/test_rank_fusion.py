"""Rank fusion merges result lists into one stable order."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from towpath.search.contract import RankedChunk
from towpath.search.rank_fusion import fuse


def ranked(*numbers: int) -> list[RankedChunk]:
    return [RankedChunk(number, 1.0) for number in numbers]


def order(*lists: list[RankedChunk]) -> list[int]:
    return [one.chunk_rowid for one in fuse(lists)]


def test_chunks_of_both_lists_come_before_chunks_of_one():
    assert order(ranked(1, 2, 3), ranked(9, 3, 8)) == [3, 1, 9, 2, 8]


def test_ties_are_broken_by_row_id():
    assert order(ranked(7), ranked(5)) == [5, 7]
    assert order(ranked(5), ranked(7)) == [5, 7]


def test_one_list_keeps_its_order():
    assert order(ranked(3, 1, 2)) == [3, 1, 2]
    assert order(ranked(3, 1, 2), []) == [3, 1, 2]


_LISTS = st.lists(st.lists(st.integers(0, 30), unique=True, max_size=20), max_size=3)


@given(_LISTS)
def test_every_chunk_occurs_once_and_scores_decrease(lists: list[list[int]]):
    fused = fuse([ranked(*numbers) for numbers in lists])
    assert sorted(one.chunk_rowid for one in fused) == sorted(
        {number for numbers in lists for number in numbers}
    )
    assert [one.score for one in fused] == sorted((one.score for one in fused), reverse=True)
