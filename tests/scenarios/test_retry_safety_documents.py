"""A document is processed whatever befalls its worker: the small one, the book, and the two that are struck."""

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

from tests.integration.workshop import until
from tests.support.databases import PostgresServer
from towpath.catalogue.contract import DocumentStatus
from towpath.drill.copies import LEASE_SECONDS, Copy, opened_copy
from towpath.drill.strikes import Strike
from towpath.drill.toll import calls_in
from towpath.ledger.tables import chunks, run_events
from towpath.model.encode import load_chunks
from towpath.model.ids import HOME_ORG
from towpath.pipelines.document import STAGES

NOTE = b"# Locks\n\nThe keeper opens the gate.\n\n# Weirs\n\nThe water falls 3 metres.\n\n# Tolls\n\nTotal: 12.50 EUR\n"
PATIENCE = 90.0

#: The first call reads the document, the second one embeds its passages.
READING, EMBEDDING = 1, 2


@pytest.fixture(params=["sqlite", "postgres"])
async def copy(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Copy]:
    """A private copy of the program with real worker processes that can be struck down."""
    server: PostgresServer | None = None
    if request.param == "postgres":
        server = request.getfixturevalue("postgres_server")
    address = None if server is None else server.dsn()
    async with opened_copy(tmp_path / "copy", address, own_processes=False, fault=None) as opened:
        yield opened


async def _status(copy: Copy, document_id: str) -> DocumentStatus:
    services = copy.towpath.services
    [found] = await services.catalogue.statuses(HOME_ORG, [document_id], services.clock.now())
    return found


async def _completed(copy: Copy, document_id: str) -> DocumentStatus:
    async def look() -> DocumentStatus | None:
        found = await _status(copy, document_id)
        assert found.status in ("PROCESSING", "COMPLETED"), found.error
        return found if found.status == "COMPLETED" else None

    return await until(look, "the document to be ready", PATIENCE)


async def _all_dead(copy: Copy) -> None:
    async def look() -> bool:
        copy.crew.look_after(0.0)
        return not copy.crew.members

    await until(look, "the worker to die", PATIENCE)
    assert copy.crew.strange_deaths == []


async def _chunk_ids(copy: Copy, document_id: str) -> list[str]:
    rows = await copy.ask(
        select(chunks.c.id).where(chunks.c.document_id == document_id).order_by(chunks.c.ordinal)
    )
    return [str(row.id) for row in rows]


async def _events(copy: Copy) -> Counter[str]:
    return Counter(str(row.kind) for row in await copy.ask(select(run_events.c.kind)))


def _stage(status: DocumentStatus, name: str) -> Any:
    return next(stage for stage in status.stages if stage.name == name)


async def test_a_small_document_passes_every_stage_once(copy: Copy) -> None:
    copy.crew.start()
    document_id = await copy.submit("note.md", NOTE)
    status = await _completed(copy, document_id)

    passed = [stage for stage in status.stages if stage.name in STAGES]
    assert [(stage.name, stage.status) for stage in passed] == [(name, "COMPLETED") for name in STAGES]
    assert all(stage.attempts == stage.crashes == 0 for stage in passed)
    ends = [stage.completed_at for stage in passed]
    assert all(isinstance(end, datetime) for end in ends)
    assert ends == sorted(ends)  # pyright: ignore[reportArgumentType]  (none of them is missing)
    assert len(await _chunk_ids(copy, document_id)) >= 1
    assert set(calls_in(copy.crew.orders.tolls).values()) == {1}


async def test_a_book_of_500_pages_keeps_its_lease_by_heartbeats(copy: Copy) -> None:
    """Each of its stages takes longer than the lease lasts, and nobody takes it away."""
    copy.crew.orders = replace(copy.crew.orders, pause=(LEASE_SECONDS * 1.1, LEASE_SECONDS * 1.2))
    copy.crew.start()
    copy.crew.start()
    page = "Page {0}. The boat rose with the water of lock {0} while the keeper counted {0} barrels of salt. "
    book = "\f".join(page.format(number) * 6 for number in range(1, 501))
    document_id = await copy.submit("book.txt", book.encode())

    beats: set[datetime] = set()

    async def look() -> DocumentStatus | None:
        found = await _status(copy, document_id)
        beats.update(stage.last_heartbeat for stage in found.stages if stage.last_heartbeat is not None)
        return found if found.status != "PROCESSING" else None

    status = await until(look, "the book to be ready", PATIENCE)

    assert status.status == "COMPLETED"
    assert _stage(status, "extract").seconds > LEASE_SECONDS
    assert len(beats) > len(STAGES), "it was heard of more often than it changed stages"
    assert (await _events(copy))["LEASE_EXPIRED"] == 0
    assert all(stage.crashes == 0 for stage in status.stages)
    document = await copy.towpath.services.catalogue.document(HOME_ORG, document_id)
    assert document.summary["pages"] == 500
    assert len(await _chunk_ids(copy, document_id)) == document.summary["chunks"]


@pytest.mark.parametrize("moment", ["before", "after"])
async def test_killed_during_embeddings_it_resumes_with_the_same_chunks(copy: Copy, moment: str) -> None:
    copy.crew.start([Strike(signal.SIGKILL, moment, "call_answer", EMBEDDING)])
    document_id = await copy.submit("note.md", NOTE)
    await _all_dead(copy)
    before = await _status(copy, document_id)
    [cut] = [job for job in await _jobs(copy, before) if job.stage == "chunk"]
    wanted = load_chunks(await copy.towpath.services.blobs.get(str(cut.result["chunks"])))

    copy.crew.start()
    status = await _completed(copy, document_id)

    assert await _chunk_ids(copy, document_id) == [chunk.id for chunk in wanted]
    [again] = [job for job in await _jobs(copy, status) if job.stage == "chunk"]
    assert (again.id, again.lease_epoch, again.completed_at) == (cut.id, cut.lease_epoch, cut.completed_at)
    assert _stage(status, "embed").crashes == 1
    asked = calls_in(copy.crew.orders.tolls)
    assert asked.total() - len(asked) == (1 if moment == "before" else 0)


@pytest.mark.parametrize(("moment", "made", "windows"), [("after", 1, 0), ("before", 2, 1)])
async def test_killed_during_extraction_it_resumes_from_the_stored_answer(
    copy: Copy, moment: str, made: int, windows: int
) -> None:
    """Only an answer that was not stored yet is asked for again, and that open window is counted."""
    copy.crew.start([Strike(signal.SIGKILL, moment, "call_answer", READING)])
    document_id = await copy.submit("note.md", NOTE)
    await _all_dead(copy)

    copy.crew.start()
    status = await _completed(copy, document_id)

    readings = [times for (name, _), times in calls_in(copy.crew.orders.tolls).items() if name == "read_file"]
    assert readings == [made]
    assert _stage(status, "extract").calls_reused == 2 - made
    costs = await copy.towpath.services.catalogue.costs(HOME_ORG, document_id)
    assert costs.reopened == windows


async def test_a_document_that_is_reprocessed_and_killed_answers_with_its_chunks_all_the_time(
    copy: Copy,
) -> None:
    copy.crew.start()
    document_id = await copy.submit("note.md", NOTE)
    await _completed(copy, document_id)
    before = await _chunk_ids(copy, document_id)
    await asyncio.to_thread(copy.crew.retire)

    await copy.reprocess(document_id)
    copy.crew.start([Strike(signal.SIGKILL, "before", "finish", 1)])
    await _all_dead(copy)
    assert await _chunk_ids(copy, document_id) == before
    copy.crew.start()
    await _completed(copy, document_id)

    assert await _chunk_ids(copy, document_id) == before
    assert set(calls_in(copy.crew.orders.tolls).values()) == {1}, "reprocessing pays for nothing"


async def _jobs(copy: Copy, status: DocumentStatus) -> list[Any]:
    return list(await copy.towpath.services.ledger.jobs(str(status.run_id), org_id=HOME_ORG))
