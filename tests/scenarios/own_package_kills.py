"""Kills a worker at each point of a document's way through a pipeline with a package's stage; prints the facts.

Run in a process of its own, whose path has the package. The arguments are the settings file, a folder and the points;
without points, a worker that is not killed processes a document first, and each verb that it used is a point.
"""

from __future__ import annotations

import asyncio
import json
import signal
import sys
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

from sqlalchemy import select, update

from tests.scenarios.verb_log import VerbLoggingLedger, points_of
from tests.support.own_package import acme_file
from tests.support.timeouts import LONG_LEASE_SECONDS, PROCESS_SECONDS, async_wait_until
from towpath.config import load
from towpath.drill.fault_injection import FaultPoint
from towpath.drill.instance import Instance, OwnPipeline, open_instance
from towpath.drill.invariants import open_windows
from towpath.ledger.tables import chunks, document_processing_jobs, documents

#: Around the paid call of the package, the end of its stage, and the publication.
FEW_POINTS = (
    "after:claim:1",
    *(f"{moment}:{verb}:2" for verb in ("begin_call", "save_answer") for moment in ("before", "after")),
    *("before:advance:2", "after:advance:2", "before:finish:1"),
)

_jobs = document_processing_jobs


async def main(settings_file: Path, folder: Path, points: Sequence[str]) -> dict[str, Any]:
    settings = load({}, environment={}, file=settings_file).settings
    own = OwnPipeline("acme", settings.pipelines, settings.stages)
    async with open_instance(folder, None, child_processes=False, own=own) as instance:
        short = instance.pool.spec
        # With long leases no other worker rescues a job yet, so that each kill hits another document.
        long = replace(short.settings, lease_seconds=LONG_LEASE_SECONDS, heartbeat_seconds=1.0)
        instance.pool.spec = replace(short, settings=long)
        points = points or await _points_of_an_undisturbed_run(instance)
        missed = [point for number, point in enumerate(points) if not await _kill_at(instance, point, number)]
        instance.pool.workers.clear()
        instance.pool.spec = short
        await instance.with_retry(lambda: _make_due(instance))
        instance.pool.start()
        await async_wait_until(lambda: _is_over(instance), "the end of all jobs")
        return {
            "points": points,
            "missed": missed,
            "statuses": [str(row.status) for row in await instance.rows(select(documents.c.status))],
            "open_windows": await open_windows(instance),
            "texts": [str(row.text) for row in await instance.rows(select(chunks.c.text))],
        }


async def _points_of_an_undisturbed_run(instance: Instance) -> list[str]:
    file = instance.pool.spec.folder / "verbs"
    document_id = await instance.submit("undisturbed.acme", acme_file(10_000))
    undisturbed = instance.pool.spec
    instance.pool.spec = replace(undisturbed, ledger_factory=partial(VerbLoggingLedger, file))
    pooled = instance.pool.start(concurrency=1)
    instance.pool.spec = undisturbed
    await async_wait_until(lambda: _is_over(instance, document_id), "the end of the undisturbed run")
    instance.pool.terminate(pooled)
    await asyncio.to_thread(pooled.process.join, PROCESS_SECONDS)
    return points_of(file)


async def _kill_at(instance: Instance, point: str, number: int) -> bool:
    """Let a worker process a document until it is killed at the point; False if it did not come there."""
    document_id = await instance.submit(f"killed-{number}.acme", acme_file(number))
    pooled = instance.pool.start([FaultPoint.parse(signal.SIGKILL, point)], concurrency=1)

    async def ended() -> bool:
        return not pooled.process.is_alive() or await _is_over(instance, document_id)

    await async_wait_until(ended, f"the kill {point}", every=0.05)
    # A worker that is about to be killed after its last write is killed nevertheless.
    instance.pool.terminate(pooled)
    await asyncio.to_thread(pooled.process.join, PROCESS_SECONDS)
    log = pooled.spec.log.read_text("utf-8")[-3000:]
    assert pooled.process.exitcode in (0, -signal.SIGKILL), f"{point}: {pooled.process.exitcode}: {log}"
    await instance.with_retry(lambda: _hold_back(instance, document_id))
    return pooled.process.exitcode == -signal.SIGKILL


def _hold_back(instance: Instance, document_id: str) -> None:
    """Keep what a killed worker left from the next one: each is killed at a document of its own."""
    later = update(_jobs).where(_jobs.c.document_id == document_id, _jobs.c.status == "PENDING")
    far = datetime(2100, 1, 1, tzinfo=UTC)
    instance.database.transact(lambda tx: tx.connection.execute(later.values(available_at=far)) and None)


def _make_due(instance: Instance) -> None:
    now = datetime.now(UTC)
    leased = update(_jobs).where(_jobs.c.status == "PROCESSING").values(lease_until=now)
    pending = update(_jobs).where(_jobs.c.status == "PENDING").values(available_at=now)
    instance.database.transact(
        lambda tx: [tx.connection.execute(statement) for statement in (leased, pending)] and None
    )


async def _is_over(instance: Instance, document_id: str | None = None) -> bool:
    """Whether all jobs, or those of one document, have ended; its follow-up too."""
    unfinished = select(_jobs.c.id).where(_jobs.c.status.in_(["PENDING", "PROCESSING"]))
    if document_id is not None:
        unfinished = unfinished.where(_jobs.c.document_id == document_id)
    return not await instance.rows(unfinished)


if __name__ == "__main__":
    print(json.dumps(asyncio.run(main(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3:]))))
