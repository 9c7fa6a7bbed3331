"""PgQueuer 1: jobs claimed and finished in batches, woken by LISTEN, log kept in a second table."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import LiteralString, TypeAlias, cast

import asyncpg
import uvloop
from pgqueuer import Job, PgQueuer, Queries

from bench.libraries.contract import BULK, HOLD_SECONDS, Measure, QueueLibrary, Task
from bench.libraries.counters import WorkerCounters
from bench.libraries.preload import without_indexes

Connection: TypeAlias = asyncpg.Connection

DEFAULT_BATCH = 10

# A finished job is deleted from the queue's table; its three log rows stay and are already aggregated.
PRELOAD: LiteralString = """
INSERT INTO pgqueuer_log (job_id, status, priority, entrypoint, created, aggregated)
SELECT n, status::pgqueuer_status, 0, 'noop', now() - interval '1 day', true
FROM generate_series(1, %s) AS n, unnest(ARRAY['queued', 'picked', 'successful']) AS status
"""


class PgQueuerLibrary(QueueLibrary):
    engine = "postgres"
    schema = "pgqueuer"
    absent: Mapping[Measure, str] = {"durable": "a job is one step"}

    def __init__(self, key: str, label: str, batch: int) -> None:
        self.key = key
        self.label = label
        self.settings = (
            f"asyncpg, one connection per worker, batch_size={batch}, autovacuum advice, durable tables"
        )
        self._batch = batch
        self._connection: Connection | None = None
        self._dsn = ""

    async def setup(self, dsn: str) -> None:
        await self.connect(dsn)
        await self._queries.install()
        await self._queries.optimize_autovacuum()
        await self.close()

    async def connect(self, dsn: str) -> None:
        self._dsn = dsn
        self._connection = await _connect(dsn)

    async def close(self) -> None:
        await self._opened.close()

    async def submit(self, task: Task, index: int) -> None:
        await self._queries.enqueue(task, b"%d" % index)

    async def submit_bulk(self, count: int) -> None:
        for start in range(0, count, BULK):
            payloads: list[bytes | None] = [b"%d" % index for index in range(start, min(start + BULK, count))]
            await self._queries.enqueue(["noop"] * len(payloads), payloads, [0] * len(payloads))

    async def unfinished(self) -> int:
        return cast(int, await self._opened.fetchval("SELECT count(*) FROM pgqueuer"))

    async def preload_finished(self, count: int) -> None:
        with without_indexes(self._dsn) as connection:
            connection.execute(PRELOAD, (count,))

    def work(self, dsn: str, counters: WorkerCounters) -> None:
        uvloop.run(_work(dsn, counters, self._batch))

    @property
    def _opened(self) -> Connection:
        assert self._connection is not None
        return self._connection

    @property
    def _queries(self) -> Queries:
        return Queries.from_asyncpg_connection(self._opened)


async def _work(dsn: str, counters: WorkerCounters, batch: int) -> None:
    queuer = PgQueuer.from_asyncpg_connection(await _connect(dsn))

    @queuer.entrypoint("noop")
    async def noop(job: Job) -> None:
        counters.began(_index(job))

    @queuer.entrypoint("hold")
    async def hold(job: Job) -> None:
        counters.began(_index(job))
        await asyncio.sleep(HOLD_SECONDS)

    counters.wait_for_start()
    await queuer.run(batch_size=batch)


async def _connect(dsn: str) -> Connection:
    """A typed wrapper of asyncpg, which has no type annotations."""
    return cast(Connection, await asyncpg.connect(dsn))


def _index(job: Job) -> int:
    return int(job.payload or b"0")


LIBRARIES = (
    PgQueuerLibrary("pgqueuer", "PgQueuer, default batch of 10", DEFAULT_BATCH),
    PgQueuerLibrary("pgqueuer-200", "PgQueuer, batch of 200", 200),
)
