"""Ids are version 7 UUIDs that strictly grow, in every thread and however fast they are asked for."""

from __future__ import annotations

import time
import uuid
from concurrent.futures import ThreadPoolExecutor
from unittest.mock import patch

from towpath.model import ids
from towpath.model.ids import HOME_ORG, is_id, new_id


def test_an_id_is_a_version_7_uuid_of_this_moment() -> None:
    before = time.time_ns() // 1_000_000
    made = uuid.UUID(new_id())
    after = time.time_ns() // 1_000_000
    assert (made.version, made.variant) == (7, uuid.RFC_4122)
    # Ids asked for in one rush run ahead of the clock by a step of 244 ns each.
    assert before <= made.int >> 80 <= after + 1_000


def test_ids_made_one_after_the_other_sort_one_after_the_other() -> None:
    made = [new_id() for _ in range(20_000)]
    assert made == sorted(made)
    assert len(set(made)) == len(made)


def test_many_threads_never_make_the_same_id() -> None:
    with ThreadPoolExecutor(8) as threads:
        batches = list(threads.map(_many, [2_000] * 8))
    assert len({made for batch in batches for made in batch}) == 16_000
    for batch in batches:
        assert batch == sorted(batch)


def _many(count: int) -> list[str]:
    return [new_id() for _ in range(count)]


def test_a_clock_that_is_set_back_does_not_set_ids_back() -> None:
    last = new_id()
    with patch.object(ids.time, "time_ns", return_value=1_000_000_000_000_000_000):
        later = [new_id() for _ in range(10)]
    assert [last, *later] == sorted([last, *later])


def test_the_home_organization_is_an_id_that_no_other_can_be() -> None:
    assert uuid.UUID(HOME_ORG).version == 7
    assert new_id() > HOME_ORG


def test_ids_are_told_from_other_words() -> None:
    assert is_id(new_id())
    assert is_id(HOME_ORG)
    for other in (
        "",
        "7",
        "latest",
        new_id().upper(),
        f"{{{new_id()}}}",
        f"{new_id()}\n",
        new_id()[:-1] + "x",
    ):
        assert not is_id(other)
