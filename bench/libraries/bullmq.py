"""Plain BullMQ, the Python package of the same version that Towpath uses: its own queue and its own worker loop."""

from __future__ import annotations

import asyncio
import importlib
from collections.abc import Mapping
from typing import Any

from bench.libraries.contract import BULK, HOLD_SECONDS, STEPS, Measure, QueueLibrary, RedisDsn, Task
from bench.libraries.counters import WorkerCounters

QUEUE = "noop"
#: As Towpath sets it: no record of a finished job is kept.
OPTIONS: Mapping[str, object] = {"attempts": 1, "removeOnComplete": True, "removeOnFail": True}

# BullMQ has no type annotations.
_bullmq: Any = importlib.import_module("bullmq")


class PlainBullMq(QueueLibrary):
    engine = "redis"
    schema = "bullmq"
    absent: Mapping[Measure, str] = {
        "million": "no finished jobs are kept",
        "idle": "statements of Redis are not counted",
        "kill": "measured on Postgres",
    }

    def __init__(self, key: str, label: str, concurrency: int) -> None:
        self.key = key
        self.label = label
        self.settings = (
            f"BullMQ's Python worker, concurrency {concurrency}, removeOnComplete, Redis without persistence; "
            "a durable run is one job that stores each step by updateData"
        )
        self._concurrency = concurrency
        self._queue: Any = None

    async def setup(self, dsn: str) -> None:
        """BullMQ needs no tables."""

    async def connect(self, dsn: str) -> None:
        address = RedisDsn.parse(dsn)
        self._queue = _bullmq.Queue(QUEUE, {"connection": address.url, "prefix": address.prefix})

    async def close(self) -> None:
        await self._queue.close()

    async def submit(self, task: Task, index: int) -> None:
        await self._queue.add(task, {"index": index}, dict(OPTIONS))

    async def submit_bulk(self, count: int) -> None:
        await self._add("noop", count)

    async def submit_runs(self, count: int) -> None:
        await self._add("durable", count)

    async def unfinished(self) -> int:
        counts: dict[str, int] = await self._queue.getJobCounts("wait", "active", "prioritized", "delayed")
        return sum(counts.values())

    def work(self, dsn: str, counters: WorkerCounters) -> None:
        asyncio.run(_work(RedisDsn.parse(dsn), counters, self._concurrency))

    async def _add(self, name: str, count: int) -> None:
        for start in range(0, count, BULK):
            batch = range(start, min(start + BULK, count))
            await self._queue.addBulk(
                [{"name": name, "data": {"index": index}, "opts": dict(OPTIONS)} for index in batch]
            )


async def _work(address: RedisDsn, counters: WorkerCounters, concurrency: int) -> None:
    async def process(job: Any, token: str) -> None:
        counters.began(int(job.data["index"]))
        if job.name == "hold":
            await asyncio.sleep(HOLD_SECONDS)
        if job.name == "durable":
            for step in range(STEPS):
                await job.updateData({**job.data, "step": step})

    options = {"connection": address.url, "prefix": address.prefix, "concurrency": concurrency}
    worker = _bullmq.Worker(QUEUE, process, {**options, "autorun": False})
    await asyncio.to_thread(counters.wait_for_start)
    await worker.run()


LIBRARIES = (
    PlainBullMq("bullmq", "Plain BullMQ, default concurrency of 1", 1),
    PlainBullMq("bullmq-50", "Plain BullMQ, concurrency 50", 50),
)
