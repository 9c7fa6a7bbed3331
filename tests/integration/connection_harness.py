"""Publishes texts as documents and connects them with a real worker, without reading files."""

from __future__ import annotations

import asyncio
import contextlib
import uuid
from collections.abc import AsyncGenerator, Callable
from dataclasses import dataclass, field
from functools import partial

from sqlalchemy import delete, func, insert, select

from tests.integration.worker_harness import FAST_WORKER, NO_BACKOFF, ArtifactFolder
from tests.support.books import CHAPTERS
from tests.support.databases import EngineUnderTest
from tests.support.factories import a_document
from tests.support.timeouts import WAIT_SECONDS, async_wait_until
from towpath.clock import SystemClock
from towpath.ledger.contract.ledger import RunPlan, Submission
from towpath.ledger.database import Transaction
from towpath.ledger.sql_ledger import SqlLedger
from towpath.ledger.tables import connections, document_processing_jobs, documents
from towpath.ledger.verbs.apply_write import apply_write
from towpath.model.audit import Actor
from towpath.model.content import Anchor, Chunk
from towpath.model.ids import DEFAULT_ORG_ID, new_id
from towpath.model.job import Job
from towpath.model.outcome import Done, Outcome
from towpath.model.run import Run
from towpath.model.writes import Publish
from towpath.notify.in_process import InProcessNotifier
from towpath.pipelines.pipeline import Pipeline, StageEntry
from towpath.providers.contract import Vectors
from towpath.providers.local.embeddings.fast import FastEmbedder, embed_fast
from towpath.queries.contract import ShownConnection
from towpath.queries.documents import SqlDocumentQueries
from towpath.search.postgres.index import PostgresIndex
from towpath.search.sql_connection_store import SqlConnectionStore
from towpath.search.sqlite.index import SqliteIndex
from towpath.stages.connect import connect
from towpath.stages.contract import Context
from towpath.worker.executor import Executor
from towpath.worker.process_pool import ProcessPool
from towpath.worker.worker import Worker

CANAL, BEES = CHAPTERS[0], CHAPTERS[1]


@dataclass(frozen=True, slots=True)
class TestedModel:
    """An embedding model by its name in the database, and the function that embeds texts with it."""

    __test__ = False

    name: str
    embed: Callable[[list[str]], Vectors]


FAST = TestedModel(FastEmbedder.model, embed_fast)


async def publish(context: Context, *, model: TestedModel = FAST) -> Outcome:
    """Publishes the texts of the run's options, one chunk each."""
    texts = [str(text) for text in context.options["texts"]]  # pyright: ignore[reportGeneralTypeIssues, reportUnknownVariableType, reportUnknownArgumentType]  (a list of texts)
    chunks = [
        Chunk(
            str(uuid.uuid5(uuid.UUID(context.document_id), text)),
            ordinal,
            text,
            len(text.split()),
            Anchor(0, 1),
        )
        for ordinal, text in enumerate(texts)
    ]
    vectors = await asyncio.to_thread(model.embed, texts)
    return Done({}, writes=[Publish(chunks, vectors, model.name, ())])


async def fail(_context: Context) -> Outcome:
    raise RuntimeError("computing connections failed")


@dataclass(slots=True)
class ConnectionHarness:
    ledger: SqlLedger
    connection_store: SqlConnectionStore
    queries: SqlDocumentQueries
    model: TestedModel = FAST
    clock: SystemClock = field(default_factory=SystemClock)
    notifier: InProcessNotifier = field(default_factory=InProcessNotifier)

    @contextlib.asynccontextmanager
    async def run_worker(self, *, broken: bool = False) -> AsyncGenerator[Worker]:
        children = ProcessPool(1)
        connect_stage = partial(
            connect,
            connection_store=self.connection_store,
            compute=children,
        )
        stage = fail if broken else connect_stage
        publish_stage = StageEntry("publish", partial(publish, model=self.model))
        pipeline = Pipeline("document", 1, (publish_stage,), (StageEntry("connect", stage),))
        executor = Executor(self.ledger, {"document": pipeline}, ArtifactFolder(), self.clock, NO_BACKOFF)
        await self.notifier.open()
        worker = Worker(self.ledger, executor, self.notifier, self.clock, FAST_WORKER)
        running = asyncio.create_task(worker.run())
        try:
            yield worker
        finally:
            worker.stop()
            await asyncio.wait_for(running, WAIT_SECONDS)
            await self.notifier.close()
            children.close()

    async def submit(self, name: str, *texts: str) -> str:
        """Submits a document with these chunks; returns its id once it is completed."""
        submitted = await self.ledger.submit(Submission(a_document(name), _plan(texts)), self.clock.now())
        self.notifier.notify()
        await self.wait_until_ended(submitted.document_id)
        return submitted.document_id

    async def rewrite(self, document_id: str, *texts: str) -> None:
        await self.request_rewrite(document_id, *texts)
        await self.wait_until_ended(document_id)

    async def request_rewrite(self, document_id: str, *texts: str) -> None:
        await self.ledger.reprocess(document_id, _plan(texts), self.clock.now(), org_id=DEFAULT_ORG_ID)
        self.notifier.notify()

    async def wait_until_ended(self, document_id: str) -> None:
        async def all_ended() -> bool:
            runs = await self.ledger.runs(document_id, org_id=DEFAULT_ORG_ID)
            return all(run.ended_at is not None for run in runs)

        await async_wait_until(all_ended, "the document to be ready")

    async def wait_until_idle(self) -> None:
        """Waits until no job is pending or processing; fails if the number of jobs stops falling."""
        unfinished = await self._unfinished()
        while unfinished:

            async def fewer(unfinished: int = unfinished) -> bool:
                return await self._unfinished() < unfinished

            await async_wait_until(fewer, f"any of {unfinished} jobs to end")
            unfinished = await self._unfinished()

    async def _unfinished(self) -> int:
        jobs = document_processing_jobs.c
        query = select(func.count()).where(jobs.status.in_(["PENDING", "PROCESSING"]))
        return await self.ledger.database.run(lambda tx: tx.connection.scalar(query) or 0, read=True)

    async def connect_again(self, document_id: str) -> None:
        """Runs another `connect` job of the document's last run and waits for it."""
        run, _ = await self.last_run(document_id)
        now = self.clock.now()
        new_job = insert(document_processing_jobs).values(
            id=new_id(),
            org_id=DEFAULT_ORG_ID,
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
        await self.ledger.database.run(lambda tx: tx.connection.execute(new_job))
        self.notifier.notify()
        await self.wait_until_idle()

    async def delete(self, document_id: str) -> None:
        await self.queries.delete(DEFAULT_ORG_ID, document_id, Actor("cli"), SystemClock().now())

    async def connections(
        self, document_id: str, *, after: str | None = None, limit: int = 100, kind: str | None = None
    ) -> list[ShownConnection]:
        return await self.queries.connections(DEFAULT_ORG_ID, document_id, after, limit, kind)

    async def mark(
        self, connection_id: str, *, pinned: bool | None = None, hidden: bool | None = None
    ) -> None:
        await self.queries.mark_connection(
            DEFAULT_ORG_ID, connection_id, pinned=pinned, hidden=hidden, now=self.clock.now()
        )

    async def marks(self, document_id: str) -> dict[str, tuple[bool, bool]]:
        return {one.this.text: (one.pinned, one.hidden) for one in await self.connections(document_id)}

    async def stored(self) -> set[tuple[str, str, str]]:
        """Every stored connection: its two chunks and its kind."""
        c = connections.c
        query = select(c.a_chunk_id, c.b_chunk_id, c.kind)

        def read(tx: Transaction) -> set[tuple[str, str, str]]:
            return {(str(a), str(b), kind) for a, b, kind in tx.connection.execute(query)}

        return await self.ledger.database.run(read, read=True)

    async def delete_all(self) -> None:
        await self.ledger.database.run(lambda tx: tx.connection.execute(delete(documents)))

    async def last_run(self, document_id: str) -> tuple[Run, list[Job]]:
        run = (await self.ledger.runs(document_id, org_id=DEFAULT_ORG_ID))[-1]
        return run, await self.ledger.jobs(run.id, org_id=DEFAULT_ORG_ID)

    def document_status(self, document_id: str) -> str:
        query = select(documents.c.status).where(documents.c.id == document_id)
        return str(
            self.ledger.database.transact(lambda tx: tx.connection.execute(query).scalar_one(), read=True)
        )


def _plan(texts: tuple[str, ...]) -> RunPlan:
    return RunPlan("document", 1, ("publish",), {"texts": list(texts)})


def make_connection_harness(engine: EngineUnderTest, model: TestedModel = FAST) -> ConnectionHarness:
    database = engine.database
    index = SqliteIndex(database) if database.dialect == "sqlite" else PostgresIndex(database)
    ledger = SqlLedger(database, apply_write=apply_write)
    return ConnectionHarness(
        ledger, SqlConnectionStore(index), SqlDocumentQueries(database, {"document": ("publish",)}), model
    )
