"""Procrastinate 3: jobs in Postgres, claimed one at a time by a stored function, woken by LISTEN."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import LiteralString

import psycopg
import uvloop
from procrastinate import App, PsycopgConnector
from procrastinate.types import JSONDict

from bench.libraries.contract import BULK, HOLD_SECONDS, Measure, QueueLibrary, Task
from bench.libraries.counters import WorkerCounters
from bench.libraries.preload import without_indexes

# Jobs are fetched by one statement at a time at any concurrency: 1, 4, 10 and 30 drain equally fast.
CONCURRENCY = 10

# Inserts the events in bulk; the library's triggers would write them one by one.
PRELOAD: LiteralString = """
WITH finished AS (
  INSERT INTO procrastinate_jobs (queue_name, task_name, args, status, attempts)
  SELECT 'default', 'noop', jsonb_build_object('index', n), 'succeeded', 1 FROM generate_series(1, %s) AS n
  RETURNING id
)
INSERT INTO procrastinate_events (job_id, type, at)
SELECT id, type::procrastinate_job_event_type, now() - interval '1 day'
FROM finished, unnest(ARRAY['deferred', 'started', 'succeeded']) AS type
"""
UNFINISHED = "SELECT count(*) FROM procrastinate_jobs WHERE status IN ('todo', 'doing')"


class Procrastinate(QueueLibrary):
    key = "procrastinate"
    label = "Procrastinate"
    engine = "postgres"
    schema = "procrastinate"
    settings = (
        f"psycopg pool, async task, concurrency={CONCURRENCY}, listen_notify on, finished jobs kept (default)"
    )
    absent: Mapping[Measure, str] = {
        "durable": "a job is one step",
        "kill": "a stalled job is retried only by a periodic task the user writes",
    }

    def __init__(self) -> None:
        self._app: App | None = None
        self._dsn = ""

    async def setup(self, dsn: str) -> None:
        async with _app(dsn).open_async() as app:
            await app.schema_manager.apply_schema_async()

    async def connect(self, dsn: str) -> None:
        self._dsn = dsn
        self._app = _app(dsn)
        await self._app.open_async()

    async def close(self) -> None:
        await self._opened.close_async()

    async def submit(self, task: Task, index: int) -> None:
        await self._opened.configure_task(task).defer_async(index=index)

    async def submit_bulk(self, count: int) -> None:
        noop = self._opened.configure_task("noop")
        for start in range(0, count, BULK):
            arguments: list[JSONDict] = [{"index": index} for index in range(start, min(start + BULK, count))]
            await noop.batch_defer_async(*arguments)

    async def unfinished(self) -> int:
        async with await psycopg.AsyncConnection.connect(self._dsn) as connection:
            row = await (await connection.execute(UNFINISHED)).fetchone()
        return int(row[0]) if row else 0

    async def preload_finished(self, count: int) -> None:
        with without_indexes(self._dsn) as connection:
            connection.execute("SET LOCAL session_replication_role = replica")
            connection.execute(PRELOAD, (count,))

    def work(self, dsn: str, counters: WorkerCounters) -> None:
        uvloop.run(_work(dsn, counters))

    @property
    def _opened(self) -> App:
        assert self._app is not None
        return self._app


def _app(dsn: str) -> App:
    return App(connector=PsycopgConnector(conninfo=dsn, min_size=1, max_size=CONCURRENCY + 2))


async def _work(dsn: str, counters: WorkerCounters) -> None:
    app = _app(dsn)

    @app.task(name="noop")
    async def noop(index: int) -> None:
        counters.began(index)

    @app.task(name="hold")
    async def hold(index: int) -> None:
        counters.began(index)
        await asyncio.sleep(HOLD_SECONDS)

    async with app.open_async():
        counters.wait_for_start()
        await app.run_worker_async(concurrency=CONCURRENCY, install_signal_handlers=False)


LIBRARIES = (Procrastinate(),)
