"""Measurements without load: statements of an idle worker, and seconds until a killed worker's job restarts.

They mostly wait, so all libraries are measured at the same time.
"""

from __future__ import annotations

import asyncio
import contextlib
import re
import time
from collections.abc import Sequence
from dataclasses import dataclass

from bench.libraries.contract import QueueLibrary
from bench.postgres import Postgres
from bench.queue.databases import PostgresDatabases
from bench.queue.figures import Measurements
from bench.queue.latency import PICK_UP_SECONDS, warm_up
from bench.queue.template_databases import TemplateDatabases
from bench.queue.workers import Workers

SETTLE_SECONDS = 3.0
"""Pause before the measurement, in which buffers are flushed and heartbeats start."""

POLL_SECONDS = 0.05


async def idle(
    libraries: Sequence[QueueLibrary], templates: TemplateDatabases, figures: Measurements
) -> None:
    """Count the statements per minute of one idle worker per library, in the server's log."""
    assert isinstance(templates.databases, PostgresDatabases)
    server = templates.databases.server
    async with contextlib.AsyncExitStack() as open_contexts:
        names: dict[str, str] = {}
        for library in libraries:
            dsn = await open_contexts.enter_async_context(templates.database(library, "empty"))
            names[library.key] = _database_of(dsn)
            server.log_statements_of(names[library.key])
            workers = open_contexts.enter_context(Workers(library, dsn))
            workers.start(1)
            await warm_up(library, workers)
        await asyncio.sleep(SETTLE_SECONDS)
        log_begin = server.log.stat().st_size
        await asyncio.sleep(templates.plan.idle_seconds)
        counts = _statements_since(server, log_begin)
    for key, name in names.items():
        figures.note(key, {"idle": counts.get(name, 0) * 60 / templates.plan.idle_seconds})


@dataclass(frozen=True, slots=True)
class KilledWorker:
    """A worker that was killed during a job; `workers` has a second, live worker."""

    library: QueueLibrary
    workers: Workers
    killed_at: float


async def kill(
    libraries: Sequence[QueueLibrary], templates: TemplateDatabases, figures: Measurements
) -> None:
    """Measure the seconds from `kill -9` of a worker during a job to the job's start in a live worker."""
    async with contextlib.AsyncExitStack() as open_contexts:
        started: list[tuple[QueueLibrary, Workers]] = []
        for library in libraries:
            dsn = await open_contexts.enter_async_context(templates.database(library, "empty"))
            workers = open_contexts.enter_context(Workers(library, dsn))
            await _hold_in_first_worker(library, workers)
            workers.start(1)
            started.append((library, workers))
        await asyncio.sleep(SETTLE_SECONDS)
        killed_workers: list[KilledWorker] = []
        for library, workers in started:
            workers.kill(0)
            killed_workers.append(KilledWorker(library, workers, time.monotonic()))
        await _watch(killed_workers, templates.plan.kill_limit, figures)


async def _hold_in_first_worker(library: QueueLibrary, workers: Workers) -> None:
    workers.start(1)
    await library.submit("hold", 0)
    if not workers.wait_until(lambda: workers.counters.first_begun(0) is not None, PICK_UP_SECONDS):
        raise RuntimeError(f"{library.key} did not start the job")


async def _watch(killed_workers: Sequence[KilledWorker], limit: float, figures: Measurements) -> None:
    deadline = time.monotonic() + limit
    waiting = list(killed_workers)
    while waiting and time.monotonic() < deadline:
        await asyncio.sleep(POLL_SECONDS)
        for killed in list(waiting):
            begun = killed.workers.counters.first_begun(1)
            if begun is not None:
                figures.note(killed.library.key, {"kill": begun - killed.killed_at})
                waiting.remove(killed)
    for killed in waiting:
        figures.note(killed.library.key, {"kill": f"> {limit:.0f}"})


def _database_of(dsn: str) -> str:
    return dsn.partition("@/")[2].partition("?")[0]


def _statements_since(server: Postgres, begin: int) -> dict[str, int]:
    """Count logged statements per database, of the simple and the extended protocol."""
    counts: dict[str, int] = {}
    with server.log.open("rb") as log:
        log.seek(begin)
        for line in log:
            match = re.match(rb"\[([^\]]+)\] LOG:  (statement|execute)\b", line)
            if match:
                name = match[1].decode()
                counts[name] = counts.get(name, 0) + 1
    return counts
