"""Towpath on Postgres and on SQLite: each job has a document, a run, a lease and events."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

from sqlalchemy import func, select, text

from bench.libraries.contract import BULK, STEPS, Engine, Measure, QueueLibrary, Task
from bench.libraries.counters import WorkerCounters
from towpath.cli.process_tuning import tune_latency
from towpath.clock import Clock, SystemClock
from towpath.job_queue.contract import JobQueue
from towpath.ledger.contract.ledger import ClaimRequest, Ledger, RunPlan, Submission
from towpath.ledger.database import Database
from towpath.ledger.migrate import upgrade
from towpath.ledger.postgres.database import PostgresDatabase
from towpath.ledger.postgres.worker_session import PostgresWorkerSession
from towpath.ledger.sql_ledger import SqlLedger
from towpath.ledger.sqlite.database import SqliteDatabase
from towpath.ledger.tables import processing_runs
from towpath.model.document import NewDocument
from towpath.model.ids import DEFAULT_ORG_ID, new_id
from towpath.model.outcome import Done, Outcome
from towpath.notify.contract import Notifier
from towpath.notify.in_process import InProcessNotifier
from towpath.notify.postgres import PostgresNotifier
from towpath.pipelines.pipeline import Pipeline, StageEntry
from towpath.stages.contract import Context
from towpath.worker.executor import Executor, RetryPolicy
from towpath.worker.settings import WorkerSettings
from towpath.worker.worker import Worker

CONCURRENCY = 200
DURABLE = tuple(f"step_{number}" for number in range(1, STEPS + 1))
STAGES = ("noop", "hold", *DURABLE)


class Towpath(QueueLibrary):
    def __init__(self, key: str, engine: Engine, absent: Mapping[Measure, str]) -> None:
        self.key = key
        self.label = "Towpath"
        self.engine = engine
        self.schema = key
        self.absent = absent
        self.settings = f"worker concurrency {CONCURRENCY}, everything else default"
        self._ledger: SqlLedger | None = None
        self._notifier: Notifier | None = None

    async def setup(self, dsn: str) -> None:
        database = _database(self.engine, dsn)
        upgrade(database.engine)
        database.close()

    async def connect(self, dsn: str) -> None:
        self._ledger = SqlLedger(_database(self.engine, dsn))
        self._notifier = (
            InProcessNotifier() if self.engine == "sqlite" else PostgresNotifier(dsn, listen=False)
        )
        await self._notifier.open()

    async def close(self) -> None:
        assert self._notifier is not None
        await self._notifier.close()
        self._opened.close()

    async def submit(self, task: Task, index: int) -> None:
        assert self._notifier is not None
        in_transaction = self._notifier.should_notify_in_transaction()
        await self._opened.submit(_submission(task, index, (task,)), datetime.now(UTC), notify=in_transaction)
        if not in_transaction:
            self._notifier.notify()

    async def submit_bulk(self, count: int) -> None:
        await self._submit(count, ("noop",))

    async def submit_runs(self, count: int) -> None:
        await self._submit(count, DURABLE)

    async def unfinished(self) -> int:
        query = select(func.count()).where(processing_runs.c.state.in_(["QUEUED", "RUNNING"]))
        return await self._opened.database.run(
            lambda tx: tx.connection.execute(query).scalar_one(), read=True
        )

    async def preload_finished(self, count: int) -> None:
        """Insert the documents, runs, jobs and events of a million completed one-stage runs."""
        with self._opened.database.engine.connect() as connection:
            connection = connection.execution_options(isolation_level="AUTOCOMMIT")
            for statement in _FINISHED:
                connection.execute(text(statement), {"count": count, "org": DEFAULT_ORG_ID})
            connection.execute(text("vacuum analyze"))

    def work(self, dsn: str, counters: WorkerCounters) -> None:
        asyncio.run(self._work(dsn, counters))

    async def _work(self, dsn: str, counters: WorkerCounters) -> None:
        async def report(context: Context) -> Outcome:
            counters.began(int(str(context.options["index"])))
            return Done()

        async def checkpoint(context: Context) -> Outcome:
            if context.stage == DURABLE[0]:
                counters.began(int(str(context.options["index"])))
            return Done({"stage": context.stage})

        async def hold(context: Context) -> Outcome:
            counters.began(int(str(context.options["index"])))
            await asyncio.sleep(3600)
            return Done()

        pipelines = {
            "noop": Pipeline("noop", 1, (StageEntry("noop", report),)),
            "hold": Pipeline("hold", 1, (StageEntry("hold", hold),)),
            DURABLE[0]: Pipeline(DURABLE[0], 1, tuple(StageEntry(name, checkpoint) for name in DURABLE)),
        }
        ledger = SqlLedger(_database(self.engine, dsn))
        notifier = InProcessNotifier() if self.engine == "sqlite" else PostgresNotifier(dsn)
        await notifier.open()
        clock = SystemClock()
        executor = Executor(ledger, pipelines, _NoArtifacts(), clock, RetryPolicy())
        settings = WorkerSettings(concurrency=CONCURRENCY)
        queue = self.open_queue(ledger, notifier, clock, settings)
        # As `towpath worker` does it: the lock of the session tells the other workers that this one lives.
        session = None if self.engine == "sqlite" else PostgresWorkerSession(dsn)
        worker = Worker(ledger, executor, notifier, clock, settings, queue=queue, session=session)
        await ledger.claim(
            ClaimRequest(worker.name, limit=1, lease_seconds=1), datetime(2000, 1, 1, tzinfo=UTC)
        )
        tune_latency()  # as `towpath worker` does
        await asyncio.to_thread(counters.wait_for_start)
        await worker.run()

    def open_queue(
        self, ledger: Ledger, notifier: Notifier, clock: Clock, settings: WorkerSettings
    ) -> JobQueue | None:
        """The queue of a worker; None claims from the database."""
        return None

    async def _submit(self, count: int, stages: tuple[str, ...]) -> None:
        for start in range(0, count, BULK):
            batch = range(start, min(start + BULK, count))
            await self._opened.submit_many(
                [_submission(stages[0], index, stages) for index in batch], datetime.now(UTC)
            )
        assert self._notifier is not None
        self._notifier.notify()

    @property
    def _opened(self) -> SqlLedger:
        assert self._ledger is not None
        return self._ledger


class _NoArtifacts:
    async def put(self, org_id: str, key: str, body: bytes) -> str:
        raise AssertionError("the stages of this benchmark make no calls")

    async def get(self, org_id: str, key: str) -> bytes:
        raise AssertionError("the stages of this benchmark make no calls")


def _submission(pipeline: str, index: int, stages: tuple[str, ...]) -> Submission:
    document = NewDocument(DEFAULT_ORG_ID, f"{index}.txt", "document", "text/plain", 1, new_id(), "blob")
    return Submission(document, RunPlan(pipeline, 1, stages, {"index": index}))


def _database(engine: Engine, dsn: str) -> Database:
    return SqliteDatabase(Path(dsn)) if engine == "sqlite" else PostgresDatabase(dsn)


_FINISHED = (
    """
    insert into documents (id, org_id, kind, name, media_type, size, sha256, blob_key, status, created_at, updated_at)
    select gen_random_uuid(), cast(:org as uuid), 'document', n || '.txt', 'text/plain', 1,
      md5(n::text), 'blob', 'COMPLETED', now() - interval '1 day', now() - interval '1 day'
    from generate_series(1, :count) as n
    """,
    """
    insert into processing_runs (
      id, org_id, document_id, pipeline, pipeline_version, state, created_at, started_at, ended_at
    )
    select gen_random_uuid(), org_id, id, 'noop', 1, 'COMPLETED', created_at, created_at, created_at from documents
    """,
    """
    insert into document_processing_jobs (id, org_id, document_id, run_id, stage, status, result, max_attempts,
      available_at, locked_by, locked_at, lease_epoch, created_at, started_at, completed_at, updated_at)
    select gen_random_uuid(), org_id, document_id, id, 'noop', 'COMPLETED', '{}', 5, created_at, 'w', created_at, 1,
      created_at, created_at, created_at, created_at
    from processing_runs
    """,
    """
    insert into run_events (org_id, run_id, kind, at)
    select org_id, id, kind, created_at
    from processing_runs
    cross join unnest(array['RUN_QUEUED', 'RUN_STARTED', 'STEP_STARTED', 'STEP_COMPLETED', 'RUN_COMPLETED']) as kind
    """,
)

LIBRARIES = (
    Towpath("towpath", "postgres", {}),
    Towpath(
        "towpath-sqlite",
        "sqlite",
        {
            "million": "measured on Postgres",
            "idle": "no server to ask",
            "kill": "measured on Postgres",
            "latency": "the embedded worker runs in the submitting process",
        },
    ),
)
