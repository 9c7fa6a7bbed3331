"""Finding connections runs apart: the document is ready before, and nobody waits for it."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace

import pytest

from tests.integration.connecting import BEES, CANAL, Bookshelf, a_shelf
from tests.integration.workshop import until
from tests.support.databases import EngineUnderTest
from towpath.model.work import JobStatus, RunState
from towpath.search.library import SqlLibrary
from towpath.stages import connect
from towpath.stages.capabilities import Passages


class SlowLibrary(SqlLibrary):
    """The library as it is, in which one search for connections takes as long as the test wants."""

    slow: bool = False
    asked: asyncio.Event
    go_on: asyncio.Event

    async def passages(self, org_id: str, document_ids: Sequence[str], model: str | None) -> list[Passages]:
        found = await super().passages(org_id, document_ids, model)
        if model is not None and self.slow:
            self.slow = False
            self.asked.set()
            await self.go_on.wait()
        return found


def _slow_shelf(engine: EngineUnderTest) -> tuple[Bookshelf, SlowLibrary]:
    shelf = a_shelf(engine)
    library = SlowLibrary(shelf.library._index)  # pyright: ignore[reportPrivateUsage]  (the same index, asked more slowly)
    library.asked, library.go_on = asyncio.Event(), asyncio.Event()
    return replace(shelf, library=library), library


async def test_a_document_is_ready_while_its_connections_are_still_sought(engine: EngineUnderTest) -> None:
    """The search has read its neighbours and is about to write, while they and the document itself go on."""
    shelf, library = _slow_shelf(engine)
    async with shelf.working():
        retelling = await shelf.file("retelling", BEES.retold, CANAL.retold)
        await shelf.settled()
        library.slow = True
        book = await shelf.file("book", BEES.first, CANAL.first)
        await asyncio.wait_for(library.asked.wait(), 30)

        run, jobs = await shelf.last_run(book)
        assert run.state is RunState.COMPLETED
        assert shelf.document_status(book) == "COMPLETED"
        assert (jobs[-1].stage, jobs[-1].status, jobs[-1].follow_up) == (
            "connect",
            JobStatus.PROCESSING,
            True,
        )

        # Neither another document, nor a new processing of its neighbour or of itself, waits for it.
        notes = await shelf.file("notes", BEES.second)
        await shelf.rewrite(retelling, BEES.retold, CANAL.second)
        await shelf.rewrite(book, BEES.first, CANAL.first)
        assert (await shelf.ledger.jobs(run.id, org_id=jobs[-1].org_id))[-1].status is JobStatus.PROCESSING

        library.go_on.set()
        await shelf.settled()

        async def ended() -> bool:
            return (await shelf.ledger.jobs(run.id, org_id=jobs[-1].org_id))[-1].status is JobStatus.COMPLETED

        await until(ended, "the search to end")
        found = await shelf.stored()
        for document in (notes, retelling, book):
            await shelf.connect_again(document)
    assert found
    assert found == await shelf.stored(), "what was found meanwhile is what is found in peace"


async def test_a_document_that_is_deleted_while_its_connections_are_sought_leaves_none(
    engine: EngineUnderTest,
) -> None:
    shelf, library = _slow_shelf(engine)
    async with shelf.working():
        retelling = await shelf.file("retelling", BEES.retold)
        quotes = await shelf.file("quotes", f"Copied on a Sunday. {BEES.first}")
        await shelf.settled()
        library.slow = True
        await shelf.file("book", BEES.first)
        await asyncio.wait_for(library.asked.wait(), 30)
        await shelf.delete(retelling)
        library.go_on.set()
        await shelf.settled()
        seen = {one.there.document_id for one in await shelf.connections(quotes)}
    assert retelling not in seen
    assert len(seen) == 1, "the book is connected with the one that is left"


async def test_a_neighbour_that_is_published_meanwhile_is_connected_though_it_would_not_look_for_this_one(
    engine: EngineUnderTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It has a nearer one, and looks no further: only the document that found it can connect the two."""
    monkeypatch.setattr(connect, "DEPTH", 1)
    shelf, library = _slow_shelf(engine)
    async with shelf.working():
        original = await shelf.file("original", BEES.first)
        await shelf.file("copy", f"{BEES.first} {CANAL.second}")
        await shelf.settled()
        library.slow = True
        retelling = await shelf.file("retelling", BEES.retold)
        await asyncio.wait_for(library.asked.wait(), 30)
        await shelf.rewrite(original, BEES.first)
        library.go_on.set()
        await shelf.settled()
        seen = {one.there.document_id for one in await shelf.connections(retelling)}
    assert original in seen
