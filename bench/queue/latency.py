"""How soon an idle worker begins a job: from just before the submit to the first line of the job."""

from __future__ import annotations

import asyncio
import random
import statistics
import time

from bench.contestants.contract import Contestant
from bench.contestants.scoreboard import SAMPLES
from bench.queue.figures import Measured
from bench.queue.stage import Stage
from bench.queue.workers import Workers

SHORTEST_PAUSE, LONGEST_PAUSE = 0.015, 0.035
"""One job every 25 ms on average; the jitter keeps it out of step with any poll interval."""

WARM_UP = 5
PICK_UP_SECONDS = 60.0


async def latency(contestant: Contestant, stage: Stage) -> Measured:
    samples = min(stage.plan.latency_samples, SAMPLES - WARM_UP)
    submitted: list[float] = []
    async with stage.database(contestant, "empty") as dsn:
        with Workers(contestant, dsn) as crew:
            crew.start(1)
            await warm_up(contestant, crew)
            for index in range(samples):
                await asyncio.sleep(random.uniform(SHORTEST_PAUSE, LONGEST_PAUSE))
                submitted.append(time.monotonic())
                await contestant.submit("noop", WARM_UP + index)
            expected = WARM_UP + samples
            if not crew.wait_until(lambda: crew.board.jobs_begun() >= expected, PICK_UP_SECONDS):
                raise RuntimeError(f"{contestant.key} never began some jobs")
            begun = [crew.board.sample_begun(WARM_UP + index) or 0.0 for index in range(samples)]
    waits = [(end - start) * 1000 for start, end in zip(submitted, begun, strict=True)]
    cuts = statistics.quantiles(waits, n=100, method="inclusive")
    return {"latency_p50": cuts[49], "latency_p95": cuts[94], "latency_p99": cuts[98]}


async def warm_up(contestant: Contestant, crew: Workers) -> None:
    """A few jobs, so that the worker is known to be up, connected and listening."""
    before = crew.board.jobs_begun()
    for index in range(WARM_UP):
        await contestant.submit("noop", index)
    if not crew.wait_until(lambda: crew.board.jobs_begun() >= before + WARM_UP, PICK_UP_SECONDS):
        raise RuntimeError(f"{contestant.key} never began its first jobs")
