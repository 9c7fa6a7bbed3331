"""What a contestant of the queue benchmark promises: how to make its tables, submit to it, and work for it.

A contestant is one row of the table. Its module lists its rows in `CONTESTANTS`; the measuring is the same
for all and lives in `bench/queue/`. The parent process calls everything but `work`, each worker only `work`.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Literal, Protocol, get_args

from bench.contestants.scoreboard import Scoreboard

Engine = Literal["postgres", "sqlite"]
Measure = Literal[
    "submit_one", "submit_bulk", "drain_1", "drain_2", "latency", "durable", "million", "idle", "kill"
]
MEASURES: tuple[Measure, ...] = get_args(Measure)

# `noop` returns at once. `hold` never ends by itself: its worker is killed in the middle of it.
Task = Literal["noop", "hold"]

BULK = 1_000
"""Jobs handed over in one bulk call, for every contestant."""

STEPS = 5
"""Steps of a durable run, each followed by its checkpoint."""

HOLD_SECONDS = 3600.0


class NotMeasured(Exception):
    """A contestant was asked for what it has declared absent."""


class Contestant(Protocol):
    """One row. A method whose measure is in `absent` is never called and may stay as it is here."""

    key: str
    """Unique, for `--only` and the worker's command line: the module's name, or that and `-variant`."""
    label: str
    engine: Engine
    schema: str
    """Rows of the same schema share prepared databases: same tables, other settings."""
    settings: str
    """One sentence for the reader: how the library is set up here."""
    absent: Mapping[Measure, str]
    """Measures this row does not have, each with its reason."""

    async def setup(self, dsn: str) -> None:
        """Make the tables in an empty database (Postgres) or at a path where no file is yet (SQLite)."""
        ...

    async def connect(self, dsn: str) -> None:
        """Open what the submitting side needs."""
        ...

    async def close(self) -> None:
        """Close it again; the same object may be connected elsewhere afterwards."""
        ...

    async def submit(self, task: Task, index: int) -> None:
        """Submit one job, committed on return. When it starts it reports to `Scoreboard.began(index)`."""
        ...

    async def submit_bulk(self, count: int) -> None:
        """Submit `count` no-op jobs by the library's own bulk call, `BULK` at a time."""
        ...

    async def fill(self, count: int) -> None:
        """Put `count` no-op jobs into the queue before a drain; not measured: any way to the same rows."""
        await self.submit_bulk(count)

    async def submit_runs(self, count: int) -> None:
        """Submit `count` durable runs of `STEPS` steps. Each reports to `Scoreboard.began` when it starts."""
        raise NotMeasured(f"{self.key} has no durable runs")

    async def unfinished(self) -> int:
        """Jobs and runs the database does not yet call finished."""
        ...

    async def preload_finished(self, count: int) -> None:
        """Leave `count` finished jobs behind, by SQL, in the very shape the library leaves them."""
        raise NotMeasured(f"{self.key} keeps no finished jobs")

    def work(self, dsn: str, board: Scoreboard) -> None:
        """The worker process: prepare, call `board.wait_for_start()`, then work until killed."""
        ...


def hold() -> None:
    """The body of a blocking `hold` job; asynchronous contestants sleep in their own loop instead."""
    time.sleep(HOLD_SECONDS)
