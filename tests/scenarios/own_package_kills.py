"""Kills a worker at each point of a document's way through a pipeline with a package's stage; prints the facts.

Run in a process of its own, whose path has the package. The arguments are the settings file, a folder and the points.
"""

from __future__ import annotations

import asyncio
import json
import signal
import sys
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sqlalchemy import select, update

from tests.support.own_package import acme_file
from tests.support.timeouts import LONG_LEASE_SECONDS, async_wait_until
from towpath.config import load
from towpath.drill.fault_injection import FaultPoint
from towpath.drill.instance import Instance, OwnPipeline, open_instance
from towpath.drill.invariants import open_windows
from towpath.ledger.tables import chunks, document_processing_jobs, documents, processing_runs

#: A document makes two calls: by the reader, and by the stage of the package; then one batch of vectors.
POINTS = (
    *("before:claim:1", "after:claim:1"),
    *(f"{moment}:begin_call:{nth}" for nth in (1, 2, 3) for moment in ("before", "after")),
    *(f"{moment}:save_answer:{nth}" for nth in (1, 2, 3) for moment in ("before", "after")),
    *(f"{moment}:progress:{nth}" for nth in (1,) for moment in ("before", "after")),
    *(f"{moment}:advance:{nth}" for nth in (1, 2, 3, 4, 5) for moment in ("before", "after")),
    *("before:finish:1", "after:finish:1"),
)
#: Around the paid call of the package, the end of its stage, and the publication.
FEW_POINTS = (
    "after:claim:1",
    *(f"{moment}:{verb}:2" for verb in ("begin_call", "save_answer") for moment in ("before", "after")),
    *("before:advance:2", "after:advance:2", "before:finish:1"),
)


async def main(settings_file: Path, folder: Path, points: Sequence[str]) -> dict[str, Any]:
    settings = load({}, environment={}, file=settings_file).settings
    own = OwnPipeline("acme", settings.pipelines, settings.stages)
    async with open_instance(folder, None, child_processes=False, own=own) as instance:
        short = instance.pool.spec
        # With long leases no other worker rescues a job yet, so that each kill hits another document.
        long = replace(short.settings, lease_seconds=LONG_LEASE_SECONDS, heartbeat_seconds=1.0)
        instance.pool.spec = replace(short, settings=long)
        for number, point in enumerate(points):
            await instance.submit(f"killed-{number}.acme", acme_file(number))
            pooled = instance.pool.start([FaultPoint.parse(signal.SIGKILL, point)], concurrency=1)
            await async_wait_until(lambda pooled=pooled: _is_dead(pooled.process), f"the kill {point}")
            log = pooled.spec.log.read_text("utf-8")[-3000:]
            assert pooled.process.exitcode == -signal.SIGKILL, f"{point}: {log}"
        instance.pool.workers.clear()
        instance.pool.spec = short
        await instance.with_retry(lambda: _expire_leases(instance))
        instance.pool.start()
        await async_wait_until(lambda: _completed(instance), "the end of all runs")
        return {
            "killed": len(points),
            "statuses": [str(row.status) for row in await instance.rows(select(documents.c.status))],
            "open_windows": await open_windows(instance),
            "texts": [str(row.text) for row in await instance.rows(select(chunks.c.text))],
        }


def _expire_leases(instance: Instance) -> None:
    jobs = document_processing_jobs
    expire = update(jobs).where(jobs.c.status == "PROCESSING").values(lease_until=datetime.now(UTC))
    instance.database.transact(lambda tx: tx.connection.execute(expire) and None)


async def _is_dead(process: Any) -> bool:
    return not process.is_alive()


async def _completed(instance: Instance) -> bool:
    runs = processing_runs.c
    unfinished = await instance.rows(select(runs.id).where(runs.state.in_(["QUEUED", "RUNNING"])))
    return not unfinished


if __name__ == "__main__":
    print(json.dumps(asyncio.run(main(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3:]))))
