"""A shelf of documents that are published and connected by a real worker, without reading any file."""

from __future__ import annotations

import asyncio
import contextlib
import uuid
from collections.abc import AsyncGenerator
from dataclasses import dataclass, field
from functools import partial

from sqlalchemy import delete, func, insert, select

from bench.quality.texts import CHAPTERS
from tests.integration.workshop import BRISK, HASTY, Shelf, until
from tests.support.databases import EngineUnderTest
from tests.support.factories import a_document
from towpath.catalogue.contract import ShownConnection
from towpath.catalogue.sql import SqlCatalogue
from towpath.clock import SystemClock
from towpath.ledger.contract import Plan, Submission
from towpath.ledger.database import Transaction
from towpath.ledger.ledger import SqlLedger
from towpath.ledger.tables import connections, document_processing_jobs, documents
from towpath.ledger.verbs.publish import apply
from towpath.model.content import Anchor, Chunk
from towpath.model.ids import HOME_ORG, new_id
from towpath.model.work import Done, Job, Outcome, Run
from towpath.model.writes import Publish
from towpath.pipelines.pipeline import Pipeline, Step
from towpath.providers.local.wordllama import StaticEmbedder, embed_statically
from towpath.queue.local import LocalBell
from towpath.search.library import SqlLibrary
from towpath.search.postgres import PostgresIndex
from towpath.search.sqlite import SqliteIndex
from towpath.stages.connect import connect
from towpath.stages.contract import Context
from towpath.worker.children import Children
from towpath.worker.execute import Executor
from towpath.worker.worker import Worker

CANAL, BEES = CHAPTERS[0], CHAPTERS[1]

#: Long, for what is waited for comes: a machine with much else to do is only slow.
PATIENCE = 300.0


async def publish(context: Context) -> Outcome:
    """Publishes the texts of the run's options, one passage each."""
    texts = [str(text) for text in context.options["texts"]]  # pyright: ignore[reportGeneralTypeIssues, reportUnknownVariableType, reportUnknownArgumentType]  (a list of texts)
    chunks = [
        Chunk(
            str(uuid.uuid5(uuid.UUID(context.document_id), text)),
            place,
            text,
            len(text.split()),
            Anchor(0, 1),
        )
        for place, text in enumerate(texts)
    ]
    vectors = await asyncio.to_thread(embed_statically, texts)
    return Done({}, writes=[Publish(chunks, vectors, StaticEmbedder.model, ())])


async def break_down(_context: Context) -> Outcome:
    raise RuntimeError("the search for connections broke down")


@dataclass(slots=True)
class Bookshelf:
    ledger: SqlLedger
    library: SqlLibrary
    catalogue: SqlCatalogue
    clock: SystemClock = field(default_factory=SystemClock)
    bell: LocalBell = field(default_factory=LocalBell)

    @contextlib.asynccontextmanager
    async def working(self, *, broken: bool = False) -> AsyncGenerator[Worker]:
        children = Children(1)
        comparing = partial(connect, library=self.library, compute=children, model=StaticEmbedder.model)
        stage = break_down if broken else comparing
        pipeline = Pipeline("document", 1, (Step("publish", publish),), (Step("connect", stage),))
        executor = Executor(self.ledger, {"document": pipeline}, Shelf(), self.clock, HASTY)
        await self.bell.open()
        worker = Worker(self.ledger, executor, self.bell, self.clock, BRISK)
        running = asyncio.create_task(worker.run())
        try:
            yield worker
        finally:
            worker.stop()
            await asyncio.wait_for(running, 20)
            await self.bell.close()
            children.close()

    async def file(self, name: str, *texts: str) -> str:
        """A new document with these passages; answers its id once it is ready."""
        submitted = await self.ledger.submit(Submission(a_document(name), _plan(texts)), self.clock.now())
        self.bell.ring()
        await self.ready(submitted.document_id)
        return submitted.document_id

    async def rewrite(self, document_id: str, *texts: str) -> None:
        await self.ask_to_rewrite(document_id, *texts)
        await self.ready(document_id)

    async def ask_to_rewrite(self, document_id: str, *texts: str) -> None:
        await self.ledger.reprocess(document_id, _plan(texts), self.clock.now(), org_id=HOME_ORG)
        self.bell.ring()

    async def ready(self, document_id: str) -> None:
        async def look() -> bool:
            runs = await self.ledger.runs(document_id, org_id=HOME_ORG)
            return all(run.ended_at is not None for run in runs)

        await until(look, "the document to be ready", PATIENCE)

    async def settled(self) -> None:
        """Nothing waits any more, and nothing is being worked; waited for as long as there is less and less."""
        left = await self._unfinished()
        while left:

            async def fewer(left: int = left) -> bool:
                return await self._unfinished() < left

            await until(fewer, f"any of {left} jobs to end", PATIENCE)
            left = await self._unfinished()

    async def _unfinished(self) -> int:
        jobs = document_processing_jobs.c
        query = select(func.count()).where(jobs.status.in_(["PENDING", "PROCESSING"]))
        return await self.ledger.database.run(lambda tx: tx.connection.scalar(query) or 0, read=True)

    async def connect_again(self, document_id: str) -> None:
        """One more `connect` of the document's last run, waited for."""
        run, _ = await self.last_run(document_id)
        now = self.clock.now()
        again = insert(document_processing_jobs).values(
            id=new_id(),
            org_id=HOME_ORG,
            document_id=document_id,
            run_id=run.id,
            stage="connect",
            status="PENDING",
            follow_up=True,
            max_attempts=3,
            available_at=now,
            created_at=now,
            updated_at=now,
        )
        await self.ledger.database.run(lambda tx: tx.connection.execute(again))
        self.bell.ring()
        await self.settled()

    async def delete(self, document_id: str) -> None:
        await self.catalogue.delete(HOME_ORG, document_id)

    async def connections(
        self, document_id: str, *, after: str | None = None, limit: int = 100
    ) -> list[ShownConnection]:
        return await self.catalogue.connections(HOME_ORG, document_id, after, limit)

    async def mark(
        self, connection_id: str, *, pinned: bool | None = None, hidden: bool | None = None
    ) -> None:
        await self.catalogue.mark_connection(
            HOME_ORG, connection_id, pinned=pinned, hidden=hidden, now=self.clock.now()
        )

    async def marks(self, document_id: str) -> dict[str, tuple[bool, bool]]:
        return {one.here.text: (one.pinned, one.hidden) for one in await self.connections(document_id)}

    async def stored(self) -> set[tuple[str, str, float, str, str]]:
        """Every connection there is, without its age."""
        c = connections.c
        query = select(c.a_chunk_id, c.b_chunk_id, c.score, c.kind, c.reason)

        def read(tx: Transaction) -> set[tuple[str, str, float, str, str]]:
            return {
                (str(a), str(b), score, kind, why) for a, b, score, kind, why in tx.connection.execute(query)
            }

        return await self.ledger.database.run(read, read=True)

    async def forget_everything(self) -> None:
        await self.ledger.database.run(lambda tx: tx.connection.execute(delete(documents)))

    async def last_run(self, document_id: str) -> tuple[Run, list[Job]]:
        run = (await self.ledger.runs(document_id, org_id=HOME_ORG))[-1]
        return run, await self.ledger.jobs(run.id, org_id=HOME_ORG)

    def document_status(self, document_id: str) -> str:
        query = select(documents.c.status).where(documents.c.id == document_id)
        return str(
            self.ledger.database.transact(lambda tx: tx.connection.execute(query).scalar_one(), read=True)
        )


def _plan(texts: tuple[str, ...]) -> Plan:
    return Plan("document", 1, ("publish",), {"texts": list(texts)})


def a_shelf(engine: EngineUnderTest) -> Bookshelf:
    database = engine.database
    index = SqliteIndex(database) if database.dialect == "sqlite" else PostgresIndex(database)
    ledger = SqlLedger(database, apply=apply)
    return Bookshelf(ledger, SqlLibrary(index), SqlCatalogue(database, {"document": ("publish",)}))
