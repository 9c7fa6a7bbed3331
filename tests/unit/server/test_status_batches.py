"""Polls that arrive together share a read that begins after them."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, cast

import pytest

from towpath.clock import ManualClock
from towpath.errors import DatabaseUnavailable
from towpath.queries.contract import DocumentQueries, DocumentStatus
from towpath.server.status_batches import MAX_DOCUMENTS, MAX_READS, StatusBatches

ORG, OTHER_ORG = "org 1", "org 2"


class Reads:
    """Reads that end when the test lets them; documents whose id begins with `un` are unknown."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, list[str]]] = []
        self.may_end = asyncio.Event()
        self.error: Exception | None = None

    async def statuses(self, org_id: str, document_ids: Sequence[str], now: datetime) -> list[DocumentStatus]:
        self.asked.append((org_id, list(document_ids)))
        await self.may_end.wait()
        if self.error is not None:
            raise self.error
        return [_status(each) for each in document_ids if not each.startswith("un")]


def _status(document_id: str) -> DocumentStatus:
    nothing: dict[str, Any] = dict.fromkeys(
        ("run_id", "run_state", "failure_type", "rejection_code", "stage", "error", "waiting", "progress")
    )
    return DocumentStatus(
        document_id=document_id,
        status="COMPLETED",
        searchable=True,
        stages=(),
        resumes_run_id=None,
        deadline_seconds=None,
        updated_at=datetime(2026, 1, 1, tzinfo=UTC),
        **nothing,
    )


def _ids(answer: bytes) -> list[str]:
    return [status["document_id"] for status in json.loads(answer)]


@pytest.fixture
def reads() -> Reads:
    return Reads()


@pytest.fixture
def batches(reads: Reads) -> StatusBatches:
    return StatusBatches(cast("DocumentQueries", reads), ManualClock())


async def _polls(batches: StatusBatches, *polls: Sequence[str], org: str = ORG) -> list[asyncio.Task[bytes]]:
    tasks = [asyncio.create_task(batches.statuses_json(org, ids)) for ids in polls]
    for _ in range(3):
        await asyncio.sleep(0)
    return tasks


async def test_each_poll_gets_its_documents_in_its_order(reads: Reads, batches: StatusBatches) -> None:
    reads.may_end.set()
    tasks = await _polls(batches, ["b", "a", "b"], ["unknown", "a"], [])
    assert [_ids(await task) for task in tasks] == [["b", "a", "b"], ["a"], []]


async def test_polls_that_wait_share_one_read_that_begins_after_them(
    reads: Reads, batches: StatusBatches
) -> None:
    busy = await _polls(batches, *([f"busy {number}"] for number in range(MAX_READS)))
    assert len(reads.asked) == 1, "polls of one moment share a read"
    others = await _polls(batches, ["x"])
    waiting = [*await _polls(batches, ["a", "b"]), *await _polls(batches, ["b", "c"])]
    assert len(reads.asked) == MAX_READS
    reads.may_end.set()
    answers = [_ids(await task) for task in [*busy, *others, *waiting]]
    assert answers[-2:] == [["a", "b"], ["b", "c"]]
    assert reads.asked[-1] == (ORG, ["a", "b", "c"])


async def test_organizations_do_not_share_a_read(reads: Reads, batches: StatusBatches) -> None:
    reads.may_end.set()
    tasks = [*await _polls(batches, ["a"]), *await _polls(batches, ["a"], org=OTHER_ORG)]
    await asyncio.gather(*tasks)
    assert reads.asked == [(ORG, ["a"]), (OTHER_ORG, ["a"])]


async def test_a_batch_has_at_most_the_documents_of_the_largest_poll(
    reads: Reads, batches: StatusBatches
) -> None:
    reads.may_end.set()
    half = [[f"{poll}/{number}" for number in range(MAX_DOCUMENTS // 2 + 1)] for poll in range(3)]
    await asyncio.gather(*await _polls(batches, *half))
    assert max(len(ids) for _, ids in reads.asked) <= MAX_DOCUMENTS


async def test_a_client_that_disconnects_does_not_end_the_read_of_the_others(
    reads: Reads, batches: StatusBatches
) -> None:
    first, second = await _polls(batches, ["a"], ["a"])
    first.cancel()
    reads.may_end.set()
    assert _ids(await second) == ["a"]


async def test_an_error_reaches_every_poll_and_the_next_read_begins_anew(
    reads: Reads, batches: StatusBatches
) -> None:
    reads.error = DatabaseUnavailable("The database does not answer.")
    tasks = await _polls(batches, ["a"], ["b"])
    reads.may_end.set()
    for task in tasks:
        with pytest.raises(DatabaseUnavailable):
            await task
    reads.error = None
    assert _ids(await batches.statuses_json(ORG, ["a"])) == ["a"]
