"""Pick-up latency of an idle worker: from just before the submit to the first line of the job."""

from __future__ import annotations

import asyncio
import random
import statistics
import time

from bench.libraries.contract import QueueLibrary
from bench.libraries.counters import SAMPLES
from bench.queue.figures import Measured
from bench.queue.template_databases import TemplateDatabases
from bench.queue.workers import Workers

SHORTEST_PAUSE, LONGEST_PAUSE = 0.015, 0.035
"""One job every 25 ms on average; the jitter avoids a fixed phase to any poll interval."""

WARM_UP = 5
PICK_UP_SECONDS = 60.0


async def latency(library: QueueLibrary, templates: TemplateDatabases) -> Measured:
    samples = min(templates.plan.latency_samples, SAMPLES - WARM_UP)
    submitted: list[float] = []
    async with templates.database(library, "empty") as dsn:
        with Workers(library, dsn) as workers:
            workers.start(1)
            await warm_up(library, workers)
            for index in range(samples):
                await asyncio.sleep(random.uniform(SHORTEST_PAUSE, LONGEST_PAUSE))
                submitted.append(time.monotonic())
                await library.submit("noop", WARM_UP + index)
            expected = WARM_UP + samples
            if not workers.wait_until(lambda: workers.counters.jobs_begun() >= expected, PICK_UP_SECONDS):
                raise RuntimeError(f"{library.key} did not start all jobs")
            begun = [workers.counters.sample_begun(WARM_UP + index) or 0.0 for index in range(samples)]
    waits = [(end - start) * 1000 for start, end in zip(submitted, begun, strict=True)]
    cuts = statistics.quantiles(waits, n=100, method="inclusive")
    return {"latency_p50": cuts[49], "latency_p95": cuts[94], "latency_p99": cuts[98]}


async def warm_up(library: QueueLibrary, workers: Workers) -> None:
    """Run a few jobs, so that the worker is connected and listening."""
    before = workers.counters.jobs_begun()
    for index in range(WARM_UP):
        await library.submit("noop", index)
    if not workers.wait_until(lambda: workers.counters.jobs_begun() >= before + WARM_UP, PICK_UP_SECONDS):
        raise RuntimeError(f"{library.key} did not start its first jobs")
