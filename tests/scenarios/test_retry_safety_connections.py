"""Connections are computed after the document is COMPLETED, and no other run waits for them."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace

import pytest

from tests.integration.connection_harness import BEES, CANAL, ConnectionHarness, make_connection_harness
from tests.support.databases import EngineUnderTest
from tests.support.timeouts import WAIT_SECONDS, async_wait_until
from towpath.connections.store import DocumentChunks
from towpath.model.job import JobStatus
from towpath.model.run import RunState
from towpath.search.sql_connection_store import SqlConnectionStore
from towpath.stages import connect


class SlowConnectionStore(SqlConnectionStore):
    """A connection store in which one read of other documents waits until the test lets it continue."""

    slow: bool = False
    waiting: asyncio.Event
    continue_: asyncio.Event

    async def chunks(
        self, org_id: str, document: DocumentChunks, numbers: Sequence[int], chunk_ids: Sequence[str]
    ) -> tuple[list[DocumentChunks], dict[int, str]]:
        stored = await super().chunks(org_id, document, numbers, chunk_ids)
        if self.slow:
            self.slow = False
            self.waiting.set()
            await self.continue_.wait()
        return stored


def _slow_store(engine: EngineUnderTest) -> tuple[ConnectionHarness, SlowConnectionStore]:
    harness = make_connection_harness(engine)
    store = SlowConnectionStore(harness.connection_store._index)  # pyright: ignore[reportPrivateUsage]  (the same index, asked more slowly)
    store.waiting, store.continue_ = asyncio.Event(), asyncio.Event()
    return replace(harness, connection_store=store), store


async def test_a_document_is_completed_while_its_connections_are_computed(engine: EngineUnderTest) -> None:
    """The connect job has read the other documents and not yet written, while they are reprocessed."""
    harness, store = _slow_store(engine)
    async with harness.run_worker():
        retelling = await harness.submit("retelling", BEES.retold, CANAL.retold)
        await harness.wait_until_idle()
        store.slow = True
        book = await harness.submit("book", BEES.first, CANAL.first)
        await asyncio.wait_for(store.waiting.wait(), WAIT_SECONDS)

        run, jobs = await harness.last_run(book)
        assert run.state is RunState.COMPLETED
        assert harness.document_status(book) == "COMPLETED"
        assert (jobs[-1].stage, jobs[-1].status, jobs[-1].follow_up) == (
            "connect",
            JobStatus.PROCESSING,
            True,
        )

        # Another document, and new runs of both documents, do not wait for it.
        notes = await harness.submit("notes", BEES.second)
        await harness.rewrite(retelling, BEES.retold, CANAL.second)
        await harness.rewrite(book, BEES.first, CANAL.first)
        assert (await harness.ledger.jobs(run.id, org_id=jobs[-1].org_id))[-1].status is JobStatus.PROCESSING

        store.continue_.set()
        await harness.wait_until_idle()

        async def connect_completed() -> bool:
            return (await harness.ledger.jobs(run.id, org_id=jobs[-1].org_id))[
                -1
            ].status is JobStatus.COMPLETED

        await async_wait_until(connect_completed, "the connect job to complete")
        stored = await harness.stored()
        for document in (notes, retelling, book):
            await harness.connect_again(document)
    assert stored
    assert stored == await harness.stored(), "the connections differ from an undisturbed recomputation"


async def test_a_document_deleted_while_its_connections_are_computed_has_none(
    engine: EngineUnderTest,
) -> None:
    harness, store = _slow_store(engine)
    async with harness.run_worker():
        retelling = await harness.submit("retelling", BEES.retold)
        quotes = await harness.submit("quotes", f"Copied on a Sunday. {BEES.first}")
        await harness.wait_until_idle()
        store.slow = True
        await harness.submit("book", BEES.first)
        await asyncio.wait_for(store.waiting.wait(), WAIT_SECONDS)
        await harness.delete(retelling)
        store.continue_.set()
        await harness.wait_until_idle()
        seen = {connection.other.document_id for connection in await harness.connections(quotes)}
    assert retelling not in seen
    assert len(seen) == 1, "the book is connected with the remaining document"


async def test_a_candidate_republished_during_connect_is_compared_again(
    engine: EngineUnderTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The candidate has a nearer document, so its own connect job does not select this document."""
    monkeypatch.setattr(connect, "NEIGHBOURS", 2)
    monkeypatch.setattr(connect, "MATCHES_BY_TERMS", 1)
    harness, store = _slow_store(engine)
    async with harness.run_worker():
        original = await harness.submit("original", BEES.first)
        await harness.submit("copy", f"{BEES.first} {CANAL.second}")
        await harness.wait_until_idle()
        store.slow = True
        retelling = await harness.submit("retelling", BEES.retold)
        await asyncio.wait_for(store.waiting.wait(), WAIT_SECONDS)
        await harness.rewrite(original, BEES.first)
        store.continue_.set()
        await harness.wait_until_idle()
        seen = {connection.other.document_id for connection in await harness.connections(retelling)}
    assert original in seen
