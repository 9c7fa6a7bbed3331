"""DBOS 3: durable workflows in Postgres, dequeued by polling, a checkpoint row after each step."""

from __future__ import annotations

import signal
from collections.abc import Mapping

import psycopg
import sqlalchemy
from dbos import DBOS, DBOSClient, DBOSConfig, EnqueueOptions, run_dbos_database_migrations

from bench.libraries.contract import BULK, STEPS, Measure, QueueLibrary, Task, hold
from bench.libraries.counters import WorkerCounters
from bench.libraries.preload import without_indexes

APPLICATION = "bench"
QUEUE = "jobs"
DEFAULT_POLL = 1.0
FAST_POLL = 0.02

# Without a limit the first worker claims the whole queue and the second has no jobs.
WORKER_CONCURRENCY = 100

# Copies one enqueued workflow: enqueueing 20,000 by the library takes half a minute and is measured separately.
CLONE = """
WITH sample AS (
  SELECT workflow.*, input.inputs AS arguments
  FROM dbos.workflow_status AS workflow JOIN dbos.workflow_input AS input USING (workflow_uuid)
  WHERE workflow.status = 'ENQUEUED' LIMIT 1
), clone AS (
  INSERT INTO dbos.workflow_status (workflow_uuid, status, name, created_at, updated_at, recovery_attempts,
    queue_name, priority, serialization, application_name, creator_xid, executor_id, application_version,
    started_at_epoch_ms, completed_at)
  SELECT gen_random_uuid()::text, %(status)s, name, created_at, updated_at, recovery_attempts, queue_name,
    priority, serialization, application_name, gen_random_uuid()::text, %(executor)s, %(version)s,
    created_at + %(worked_ms)s::bigint, created_at + %(worked_ms)s::bigint
  FROM sample, generate_series(1, %(count)s)
  RETURNING workflow_uuid
), input AS (
  INSERT INTO dbos.workflow_input (workflow_uuid, inputs, retention_timestamp)
  SELECT clone.workflow_uuid, sample.arguments, sample.created_at FROM clone, sample
)
"""
CLONE_WAITING = CLONE + "SELECT count(*) FROM clone"
CLONE_FINISHED = (
    CLONE
    + """
INSERT INTO dbos.workflow_output (workflow_uuid, output, retention_timestamp)
SELECT clone.workflow_uuid, 'gAROLg==', sample.created_at FROM clone, sample
"""
)
WAITING: dict[str, str | int | None] = {
    "status": "ENQUEUED",
    "executor": None,
    "version": None,
    "worked_ms": None,
}
FINISHED: dict[str, str | int | None] = {
    "status": "SUCCESS",
    "executor": "local",
    "version": "1",
    "worked_ms": 20,
}
UNFINISHED = "SELECT count(*) FROM dbos.workflow_status WHERE status IN ('ENQUEUED', 'PENDING')"
MEASURED_BELOW = "the poll interval makes no difference: see the row with 20 ms"


class Dbos(QueueLibrary):
    engine = "postgres"
    schema = "dbos"

    def __init__(
        self, key: str, label: str, poll: float, concurrency: int | None, absent: Mapping[Measure, str]
    ):
        self.key = key
        self.label = label
        self.settings = (
            f"sync workflows in threads, polling_interval_sec={poll}, worker_concurrency={concurrency}"
        )
        kill = "another executor's workflows are recovered by Conductor, or when that executor starts again"
        self.absent: Mapping[Measure, str] = {"kill": kill, **absent}
        self._poll = poll
        self._concurrency = concurrency
        self._client: DBOSClient | None = None
        self._dsn = ""

    async def setup(self, dsn: str) -> None:
        run_dbos_database_migrations(dsn)

    async def connect(self, dsn: str) -> None:
        self._dsn = dsn
        self._client = DBOSClient(system_database_url=dsn, application_name=APPLICATION)
        await self._client.register_queue_async(
            QUEUE, polling_interval_sec=self._poll, worker_concurrency=self._concurrency
        )

    async def close(self) -> None:
        self._opened.destroy()

    async def submit(self, task: Task, index: int) -> None:
        self._opened.enqueue(_to_queue(task), index)

    async def submit_bulk(self, count: int) -> None:
        """DBOS has no bulk call; its best is many enqueues in one transaction of the caller."""
        engine = sqlalchemy.create_engine(self._dsn.replace("postgresql:", "postgresql+psycopg:"))
        for start in range(0, count, BULK):
            with engine.begin() as transaction:
                for index in range(start, min(start + BULK, count)):
                    self._opened.enqueue_in_transaction(transaction, _to_queue("noop"), index)
        engine.dispose()

    async def fill(self, count: int) -> None:
        self._opened.enqueue(_to_queue("noop"), 0)
        async with await psycopg.AsyncConnection.connect(self._dsn) as connection:
            await connection.execute(CLONE_WAITING, {**WAITING, "count": count - 1})

    async def submit_runs(self, count: int) -> None:
        for index in range(count):
            self._opened.enqueue(_to_queue("run"), index)

    async def unfinished(self) -> int:
        async with await psycopg.AsyncConnection.connect(self._dsn) as connection:
            row = await (await connection.execute(UNFINISHED)).fetchone()
        return int(row[0]) if row else 0

    async def preload_finished(self, count: int) -> None:
        self._opened.enqueue(_to_queue("noop"), 0)
        with without_indexes(self._dsn) as connection:
            connection.execute(CLONE_FINISHED, {**FINISHED, "count": count})
            connection.execute("UPDATE dbos.workflow_status SET status = 'SUCCESS' WHERE status = 'ENQUEUED'")

    def work(self, dsn: str, counters: WorkerCounters) -> None:
        config: DBOSConfig = {
            "name": APPLICATION,
            "system_database_url": dsn,
            "application_version": "1",
            "log_level": "ERROR",
        }
        DBOS(config=config)
        _register_workflows(counters)
        counters.wait_for_start()
        DBOS.launch()
        signal.pause()

    @property
    def _opened(self) -> DBOSClient:
        assert self._client is not None
        return self._client


def _to_queue(workflow: str) -> EnqueueOptions:
    return {"workflow_name": workflow, "queue_name": QUEUE}


def _register_workflows(counters: WorkerCounters) -> None:
    @DBOS.workflow(name="noop")
    def noop(index: int) -> None:
        counters.began(index)

    @DBOS.workflow(name="hold")
    def hold_job(index: int) -> None:
        counters.began(index)
        hold()

    @DBOS.step()
    def step(number: int) -> int:
        return number

    @DBOS.workflow(name="run")
    def run(index: int) -> None:
        counters.began(index)
        for number in range(STEPS):
            step(number)


LIBRARIES = (
    Dbos(
        "dbos",
        "DBOS, default poll of 1 s",
        DEFAULT_POLL,
        None,
        {
            "submit_one": MEASURED_BELOW,
            "submit_bulk": MEASURED_BELOW,
            "drain_1": MEASURED_BELOW,
            "drain_2": MEASURED_BELOW,
            "durable": MEASURED_BELOW,
            "million": MEASURED_BELOW,
        },
    ),
    Dbos("dbos-20ms", "DBOS, poll of 20 ms", FAST_POLL, WORKER_CONCURRENCY, {}),
)
