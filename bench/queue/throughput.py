"""How much goes in and out: submits per second, jobs and durable runs drained per second."""

from __future__ import annotations

import asyncio
import statistics
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from bench.contestants.contract import Contestant
from bench.queue.figures import Column, Measured
from bench.queue.plan import Plan
from bench.queue.stage import Scene, Stage
from bench.queue.workers import Workers

FIRST_JOB_SECONDS = 60.0
ASK_SECONDS = 0.005


@dataclass(frozen=True, slots=True)
class Pass:
    """One timed pass: so many jobs in so many seconds."""

    jobs: int
    seconds: float

    @property
    def rate(self) -> float:
        return self.jobs / self.seconds


async def submit_one(contestant: Contestant, stage: Stage) -> Measured:
    """Jobs submitted one after the other, each committed before the next."""

    async def submit() -> int:
        for index in range(stage.plan.single_jobs):
            await contestant.submit("noop", index)
        return stage.plan.single_jobs

    return await _submit(contestant, stage, "submit_one", submit)


async def submit_bulk(contestant: Contestant, stage: Stage) -> Measured:
    """Jobs submitted by the library's bulk call."""

    async def submit() -> int:
        await contestant.submit_bulk(stage.plan.bulk_jobs)
        return stage.plan.bulk_jobs

    return await _submit(contestant, stage, "submit_bulk", submit)


async def drain(contestant: Contestant, stage: Stage, workers: int) -> Measured:
    """A full queue worked empty by so many worker processes."""
    column: Column = "drain_1" if workers == 1 else "drain_2"
    return {column: await _median(stage.plan, lambda: _drain(contestant, stage, "filled", workers))}


async def drain_before_history(contestant: Contestant, stage: Stage) -> Measured:
    """The same with a million finished jobs in the tables; one pass only, for copying those takes long."""
    single = await _drain(contestant, stage, "million", 1)
    return {"million": single.rate}


async def durable(contestant: Contestant, stage: Stage) -> Measured:
    """Durable runs of five checkpointed steps, one worker process."""
    return {"durable": await _median(stage.plan, lambda: _drain(contestant, stage, "empty", 1))}


async def _submit(
    contestant: Contestant, stage: Stage, column: Column, submit: Callable[[], Awaitable[int]]
) -> Measured:
    async def once() -> Pass:
        async with stage.database(contestant, "empty"):
            await contestant.submit("noop", 0)  # the first one prepares statements and warms the connection
            begun = time.monotonic()
            jobs = await submit()
            return Pass(jobs, time.monotonic() - begun)

    return {column: await _median(stage.plan, once)}


async def _drain(contestant: Contestant, stage: Stage, scene: Scene, workers: int) -> Pass:
    """The clock runs from the first job begun, all workers being ready, to the last the database has done."""
    async with stage.database(contestant, scene) as dsn:
        if scene == "empty":
            await contestant.submit_runs(stage.plan.durable_runs)
        jobs = await contestant.unfinished()
        with Workers(contestant, dsn) as crew:
            crew.start(workers)
            if not crew.wait_until(lambda: crew.board.earliest() is not None, FIRST_JOB_SECONDS):
                raise RuntimeError(f"{contestant.key} began no job within {FIRST_JOB_SECONDS:.0f} s")
            begun = crew.board.earliest() or 0.0
            limit = begun + stage.plan.drain_limit
            crew.wait_until(lambda: crew.board.jobs_begun() >= jobs, limit - time.monotonic())
            while True:
                asked = time.monotonic()
                unfinished = await contestant.unfinished()
                if not unfinished or asked > limit:
                    return Pass(jobs - unfinished, asked - begun)
                await asyncio.sleep(ASK_SECONDS)


async def _median(plan: Plan, once: Callable[[], Awaitable[Pass]]) -> float:
    """Jobs per second; a pass too short to trust is repeated."""
    passes = [await once()]
    if passes[0].seconds < plan.short:
        passes += [await once() for _ in range(plan.repeats - 1)]
    return statistics.median(one.rate for one in passes)
