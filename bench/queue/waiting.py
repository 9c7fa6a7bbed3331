"""Measures that are mostly waiting, and load nothing, so all contestants wait at the same time.

Idle: statements an idle worker sends in a minute. Kill: seconds until a killed worker's job is worked again.
"""

from __future__ import annotations

import asyncio
import contextlib
import re
import time
from collections.abc import Sequence
from dataclasses import dataclass

from bench.contestants.contract import Contestant
from bench.postgres import Postgres
from bench.queue.arena import PostgresArena
from bench.queue.figures import Figures
from bench.queue.latency import PICK_UP_SECONDS, warm_up
from bench.queue.stage import Stage
from bench.queue.workers import Workers

REST_SECONDS = 3.0
"""Between the last event and the measure: buffers are flushed, heartbeats have begun."""

LOOK_SECONDS = 0.05


async def idle(contestants: Sequence[Contestant], stage: Stage, figures: Figures) -> None:
    """Statements per minute of one idle worker each, counted in the server's log, one line for each."""
    assert isinstance(stage.arena, PostgresArena)
    server = stage.arena.server
    async with contextlib.AsyncExitStack() as open_until_done:
        names: dict[str, str] = {}
        for contestant in contestants:
            dsn = await open_until_done.enter_async_context(stage.database(contestant, "empty"))
            names[contestant.key] = _database_of(dsn)
            server.log_statements_of(names[contestant.key])
            crew = open_until_done.enter_context(Workers(contestant, dsn))
            crew.start(1)
            await warm_up(contestant, crew)
        await asyncio.sleep(REST_SECONDS)
        log_begin = server.log.stat().st_size
        await asyncio.sleep(stage.plan.idle_seconds)
        counts = _statements_since(server, log_begin)
    for key, name in names.items():
        figures.note(key, {"idle": counts.get(name, 0) * 60 / stage.plan.idle_seconds})


@dataclass(frozen=True, slots=True)
class Wake:
    """A worker killed in the middle of a job, and another that lives on."""

    contestant: Contestant
    crew: Workers
    killed: float


async def kill(contestants: Sequence[Contestant], stage: Stage, figures: Figures) -> None:
    """Seconds from `kill -9` of a worker inside a job to the job beginning again in a second, live one."""
    async with contextlib.AsyncExitStack() as open_until_done:
        crews: list[tuple[Contestant, Workers]] = []
        for contestant in contestants:
            dsn = await open_until_done.enter_async_context(stage.database(contestant, "empty"))
            crew = open_until_done.enter_context(Workers(contestant, dsn))
            await _hold_in_first_worker(contestant, crew)
            crew.start(1)
            crews.append((contestant, crew))
        await asyncio.sleep(REST_SECONDS)
        wakes: list[Wake] = []
        for contestant, crew in crews:
            crew.kill(0)
            wakes.append(Wake(contestant, crew, time.monotonic()))
        await _watch(wakes, stage.plan.kill_limit, figures)


async def _hold_in_first_worker(contestant: Contestant, crew: Workers) -> None:
    crew.start(1)
    await contestant.submit("hold", 0)
    if not crew.wait_until(lambda: crew.board.first_begun(0) is not None, PICK_UP_SECONDS):
        raise RuntimeError(f"{contestant.key} never began the job to be killed in")


async def _watch(wakes: Sequence[Wake], limit: float, figures: Figures) -> None:
    deadline = time.monotonic() + limit
    waiting = list(wakes)
    while waiting and time.monotonic() < deadline:
        await asyncio.sleep(LOOK_SECONDS)
        for wake in list(waiting):
            begun = wake.crew.board.first_begun(1)
            if begun is not None:
                figures.note(wake.contestant.key, {"kill": begun - wake.killed})
                waiting.remove(wake)
    for wake in waiting:
        figures.note(wake.contestant.key, {"kill": f"> {limit:.0f}"})


def _database_of(dsn: str) -> str:
    return dsn.partition("@/")[2].partition("?")[0]


def _statements_since(server: Postgres, begin: int) -> dict[str, int]:
    """Logged statements per database, simple and extended protocol alike."""
    counts: dict[str, int] = {}
    with server.log.open("rb") as log:
        log.seek(begin)
        for line in log:
            match = re.match(rb"\[([^\]]+)\] LOG:  (statement|execute)\b", line)
            if match:
                name = match[1].decode()
                counts[name] = counts.get(name, 0) + 1
    return counts
