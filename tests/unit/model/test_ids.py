"""Ids are version 7 UUIDs that strictly grow, in every thread and at any rate."""

from __future__ import annotations

import time
import uuid
from concurrent.futures import ThreadPoolExecutor
from unittest.mock import patch

from towpath.model import ids
from towpath.model.ids import DEFAULT_ORG_ID, is_id, new_id


def test_an_id_is_a_version_7_uuid_of_this_moment() -> None:
    before = time.time_ns() // 1_000_000
    created = uuid.UUID(new_id())
    after = time.time_ns() // 1_000_000
    assert (created.version, created.variant) == (7, uuid.RFC_4122)
    # Ids created in quick succession run ahead of the clock by 244 ns each.
    assert before <= created.int >> 80 <= after + 1_000


def test_ids_sort_in_the_order_of_creation() -> None:
    created = [new_id() for _ in range(20_000)]
    assert created == sorted(created)
    assert len(set(created)) == len(created)


def test_many_threads_never_create_the_same_id() -> None:
    with ThreadPoolExecutor(8) as threads:
        batches = list(threads.map(_many, [2_000] * 8))
    assert len({created for batch in batches for created in batch}) == 16_000
    for batch in batches:
        assert batch == sorted(batch)


def _many(count: int) -> list[str]:
    return [new_id() for _ in range(count)]


def test_ids_grow_after_the_clock_was_set_back() -> None:
    last = new_id()
    with patch.object(ids.time, "time_ns", return_value=1_000_000_000_000_000_000):
        later = [new_id() for _ in range(10)]
    assert [last, *later] == sorted([last, *later])


def test_no_new_id_equals_the_default_organization() -> None:
    assert uuid.UUID(DEFAULT_ORG_ID).version == 7
    assert new_id() > DEFAULT_ORG_ID


def test_is_id_rejects_other_texts() -> None:
    assert is_id(new_id())
    assert is_id(DEFAULT_ORG_ID)
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
