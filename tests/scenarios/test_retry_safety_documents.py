"""Documents are completed although workers are killed: a note, a book, and kills during embedding and extraction."""

from __future__ import annotations

import asyncio
import signal
from collections import Counter
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from tests.support.databases import PostgresServer
from tests.support.timeouts import async_wait_until
from towpath.drill.fault_injection import FaultPoint
from towpath.drill.instance import Instance, open_instance
from towpath.drill.provider_call_log import count_calls
from towpath.ledger.tables import chunks, run_events
from towpath.model.codec import decode_chunks
from towpath.model.ids import DEFAULT_ORG_ID
from towpath.pipelines.document_pipeline import STAGES
from towpath.queries.contract import DocumentStatus
from towpath.stages.extract import BRIEF_BYTES
from towpath.stages.support.artifact import load_result

NOTE = b"# Locks\n\nThe keeper opens the gate.\n\n# Weirs\n\nThe water falls 3 metres.\n\n# Tolls\n\nTotal: 12.50 EUR\n"

#: So large that its calls are no brief ones: each is stored when it is answered, not with the settlement of its stage.
BOOK = "\n\n".join(
    f"# Lock {number}\n\n" + f"The keeper of lock {number} counted {number} barrels of salt. " * 40
    for number in range(1, 41)
).encode()
assert len(BOOK) > BRIEF_BYTES

#: The first call of a worker reads the document, the second one embeds the first of its chunks.
EXTRACT_CALL, EMBED_CALL = 1, 2

#: Long enough that a busy machine does not delay twelve heartbeats.
BOOK_LEASE_SECONDS = 12.0


@pytest.fixture(params=["sqlite", "postgres"])
async def instance(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Instance]:
    """A private instance of the program with real worker processes that can be killed."""
    server: PostgresServer | None = None
    if request.param == "postgres":
        server = request.getfixturevalue("postgres_server")
    address = None if server is None else server.dsn()
    async with open_instance(tmp_path / "copy", address, child_processes=False) as opened:
        yield opened


async def _status(instance: Instance, document_id: str) -> DocumentStatus:
    services = instance.runtime.services
    [status] = await services.queries.statuses(DEFAULT_ORG_ID, [document_id], services.clock.now())
    return status


async def _completed(instance: Instance, document_id: str) -> DocumentStatus:
    async def check() -> DocumentStatus | None:
        status = await _status(instance, document_id)
        assert status.status in ("PROCESSING", "COMPLETED"), status.error
        return status if status.status == "COMPLETED" else None

    return await async_wait_until(check, "the document to be completed")


async def _all_dead(instance: Instance) -> None:
    async def check() -> bool:
        instance.pool.reap(0.0)
        return not instance.pool.workers

    await async_wait_until(check, "the worker to die")
    assert instance.pool.unexpected_exits == []


async def _chunk_ids(instance: Instance, document_id: str) -> list[str]:
    rows = await instance.rows(
        select(chunks.c.id).where(chunks.c.document_id == document_id).order_by(chunks.c.ordinal)
    )
    return [str(row.id) for row in rows]


async def _events(instance: Instance) -> Counter[str]:
    return Counter(str(row.kind) for row in await instance.rows(select(run_events.c.kind)))


def _stage(status: DocumentStatus, name: str) -> Any:
    return next(stage for stage in status.stages if stage.name == name)


async def test_a_small_document_passes_every_stage_once(instance: Instance) -> None:
    instance.pool.start()
    document_id = await instance.submit("note.md", NOTE)
    status = await _completed(instance, document_id)

    stages = [stage for stage in status.stages if stage.name in STAGES]
    assert [(stage.name, stage.status) for stage in stages] == [(name, "COMPLETED") for name in STAGES]
    assert all(stage.attempts == stage.crashes == 0 for stage in stages)
    end_times = [stage.completed_at for stage in stages]
    assert all(isinstance(end, datetime) for end in end_times)
    assert end_times == sorted(end_times)  # pyright: ignore[reportArgumentType]  (none of them is missing)
    assert len(await _chunk_ids(instance, document_id)) >= 1
    assert set(count_calls(instance.pool.spec.call_log).values()) == {1}


async def test_a_book_of_500_pages_keeps_its_lease_by_heartbeats(instance: Instance) -> None:
    """Each stage takes longer than the lease, and no other worker takes the job over."""
    spec = instance.pool.spec
    settings = replace(spec.settings, lease_seconds=BOOK_LEASE_SECONDS, heartbeat_seconds=1.0)
    instance.pool.spec = replace(
        spec, settings=settings, pause=(BOOK_LEASE_SECONDS * 1.1, BOOK_LEASE_SECONDS * 1.2)
    )
    instance.pool.start()
    instance.pool.start()
    page = "Page {0}. The boat rose with the water of lock {0} while the keeper counted {0} barrels of salt. "
    book = "\f".join(page.format(number) * 6 for number in range(1, 501))
    document_id = await instance.submit("book.txt", book.encode())

    heartbeats: set[datetime] = set()

    async def check() -> DocumentStatus | None:
        status = await _status(instance, document_id)
        heartbeats.update(stage.last_heartbeat for stage in status.stages if stage.last_heartbeat is not None)
        return status if status.status != "PROCESSING" else None

    status = await async_wait_until(check, "the book to be completed")

    assert status.status == "COMPLETED"
    assert _stage(status, "extract").seconds > BOOK_LEASE_SECONDS
    assert len(heartbeats) > len(STAGES), "heartbeats were sent during the stages"
    assert (await _events(instance))["LEASE_EXPIRED"] == 0
    assert all(stage.crashes == 0 for stage in status.stages)
    document = await instance.runtime.services.queries.document(DEFAULT_ORG_ID, document_id)
    assert document.summary["pages"] == 500
    assert len(await _chunk_ids(instance, document_id)) == document.summary["chunks"]


@pytest.mark.parametrize("moment", ["before", "after"])
async def test_killed_during_embeddings_it_resumes_with_the_same_chunks(
    instance: Instance, moment: str
) -> None:
    instance.pool.start([FaultPoint(signal.SIGKILL, moment, "save_answer", EMBED_CALL)])
    document_id = await instance.submit("book.md", BOOK)
    await _all_dead(instance)
    before = await _status(instance, document_id)
    [before_kill] = [job for job in await _jobs(instance, before) if job.stage == "chunk"]
    expected_chunks = decode_chunks(
        await load_result(instance.runtime.services.blobs, before_kill.result["chunks"]), None
    )

    instance.pool.start()
    status = await _completed(instance, document_id)

    assert await _chunk_ids(instance, document_id) == [chunk.id for chunk in expected_chunks]
    [after_resume] = [job for job in await _jobs(instance, status) if job.stage == "chunk"]
    assert (after_resume.id, after_resume.lease_epoch, after_resume.completed_at) == (
        before_kill.id,
        before_kill.lease_epoch,
        before_kill.completed_at,
    )
    [embed] = [job for job in await _jobs(instance, status) if job.stage == "embed"]
    assert (embed.attempts, embed.crashes, embed.suspect) == (0, 0, True)
    call_counts = count_calls(instance.pool.spec.call_log)
    assert call_counts.total() - len(call_counts) == (1 if moment == "before" else 0)


@pytest.mark.parametrize(("moment", "made", "windows"), [("after", 1, 0), ("before", 2, 1)])
async def test_killed_during_extraction_it_resumes_from_the_stored_answer(
    instance: Instance, moment: str, made: int, windows: int
) -> None:
    """Only a call whose answer was not stored is repeated, and it is counted as repeated."""
    instance.pool.start([FaultPoint(signal.SIGKILL, moment, "save_answer", EXTRACT_CALL)])
    document_id = await instance.submit("book.md", BOOK)
    await _all_dead(instance)

    instance.pool.start()
    status = await _completed(instance, document_id)

    read_counts = [
        times
        for (name, _), times in count_calls(instance.pool.spec.call_log).items()
        if name == "read_and_continue"
    ]
    assert read_counts == [made]
    assert _stage(status, "extract").calls_reused == 2 - made
    costs = await instance.runtime.services.queries.costs(DEFAULT_ORG_ID, document_id)
    assert costs.repeated == windows


async def test_a_document_keeps_its_chunks_while_it_is_reprocessed_and_its_worker_killed(
    instance: Instance,
) -> None:
    instance.pool.start()
    document_id = await instance.submit("note.md", NOTE)
    await _completed(instance, document_id)
    before = await _chunk_ids(instance, document_id)
    await asyncio.to_thread(instance.pool.retire)

    await instance.reprocess(document_id)
    instance.pool.start([FaultPoint(signal.SIGKILL, "before", "finish", 1)])
    await _all_dead(instance)
    assert await _chunk_ids(instance, document_id) == before
    instance.pool.start()
    await _completed(instance, document_id)

    assert await _chunk_ids(instance, document_id) == before
    assert set(count_calls(instance.pool.spec.call_log).values()) == {1}, "reprocessing repeats no call"


async def _jobs(instance: Instance, status: DocumentStatus) -> list[Any]:
    return list(await instance.runtime.services.ledger.jobs(str(status.run_id), org_id=DEFAULT_ORG_ID))
