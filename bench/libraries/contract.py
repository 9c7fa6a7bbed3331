"""The interface of a library in the queue benchmark: create tables, submit, work, count unfinished jobs.

A library is one row of the table. Its module lists its rows in `LIBRARIES`; `bench/queue/` measures
them. The parent process calls everything except `work`; each worker process calls only `work`.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, Protocol, get_args

from bench.libraries.counters import WorkerCounters

Engine = Literal["postgres", "sqlite", "redis"]
Measure = Literal[
    "submit_one", "submit_bulk", "drain_1", "drain_2", "latency", "durable", "million", "idle", "kill"
]
MEASURES: tuple[Measure, ...] = get_args(Measure)

# `noop` returns at once. `hold` does not end: its worker is killed during it.
Task = Literal["noop", "hold"]

BULK = 1_000
"""Jobs in one bulk call, for every library."""

STEPS = 5
"""Steps of a durable run, each followed by its checkpoint."""

HOLD_SECONDS = 3600.0


@dataclass(frozen=True, slots=True)
class RedisDsn:
    """The dsn of a row of the engine `redis`: keys of a Redis with one prefix, and a database of Postgres."""

    url: str
    prefix: str
    postgres: str

    def text(self) -> str:
        return " ".join((self.url, self.prefix, self.postgres))

    @classmethod
    def parse(cls, dsn: str) -> RedisDsn:
        return cls(*dsn.split(" ", 2))


class NotMeasured(Exception):
    """A measure was called that the library declares absent."""


class QueueLibrary(Protocol):
    """One row. A method whose measure is in `absent` is never called and need not be implemented."""

    key: str
    """Unique, for `--only` and the worker's command line: the module's name, or the name and `-variant`."""
    label: str
    engine: Engine
    schema: str
    """Rows with the same schema share template databases: same tables, other settings."""
    settings: str
    """One sentence about the library's settings in this benchmark."""
    absent: Mapping[Measure, str]
    """Measures this row does not have, each with its reason."""

    async def setup(self, dsn: str) -> None:
        """Create the tables in an empty database (Postgres) or at a path without a file (SQLite)."""
        ...

    async def connect(self, dsn: str) -> None:
        """Open the connections of the submitting side."""
        ...

    async def close(self) -> None:
        """Close them; the same object may be connected to another database afterwards."""
        ...

    async def submit(self, task: Task, index: int) -> None:
        """Submit one job, committed on return. When it starts it reports to `WorkerCounters.began(index)`."""
        ...

    async def submit_bulk(self, count: int) -> None:
        """Submit `count` no-op jobs by the library's own bulk call, `BULK` at a time."""
        ...

    async def fill(self, count: int) -> None:
        """Put `count` no-op jobs into the queue before a drain. Not measured, so any method is allowed."""
        await self.submit_bulk(count)

    async def submit_runs(self, count: int) -> None:
        """Submit `count` durable runs of `STEPS` steps. Each reports to `WorkerCounters.began` when it starts."""
        raise NotMeasured(f"{self.key} has no durable runs")

    async def unfinished(self) -> int:
        """Count the jobs and runs that are not finished according to the database."""
        ...

    async def preload_finished(self, count: int) -> None:
        """Insert `count` finished jobs by SQL, with the same rows that the library would have left."""
        raise NotMeasured(f"{self.key} keeps no finished jobs")

    def work(self, dsn: str, counters: WorkerCounters) -> None:
        """Run the worker process: prepare, call `counters.wait_for_start()`, then work until killed."""
        ...


def hold() -> None:
    """The body of a blocking `hold` job; asynchronous libraries sleep in their own loop instead."""
    time.sleep(HOLD_SECONDS)
