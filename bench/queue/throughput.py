"""Measures throughput: submits per second, jobs and durable runs completed per second."""

from __future__ import annotations

import asyncio
import statistics
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from bench.libraries.contract import QueueLibrary
from bench.queue.figures import Column, Measured
from bench.queue.plan import Plan
from bench.queue.template_databases import Template, TemplateDatabases
from bench.queue.workers import Workers

FIRST_JOB_SECONDS = 60.0
POLL_SECONDS = 0.005


@dataclass(frozen=True, slots=True)
class Pass:
    """One timed pass: the number of jobs and the seconds they took."""

    jobs: int
    seconds: float

    @property
    def rate(self) -> float:
        return self.jobs / self.seconds


async def submit_one(library: QueueLibrary, templates: TemplateDatabases) -> Measured:
    """Submit jobs one after the other, each committed before the next."""

    async def submit() -> int:
        for index in range(templates.plan.single_jobs):
            await library.submit("noop", index)
        return templates.plan.single_jobs

    return await _submit(library, templates, "submit_one", submit)


async def submit_bulk(library: QueueLibrary, templates: TemplateDatabases) -> Measured:
    """Submit jobs by the library's bulk call."""

    async def submit() -> int:
        await library.submit_bulk(templates.plan.bulk_jobs)
        return templates.plan.bulk_jobs

    return await _submit(library, templates, "submit_bulk", submit)


async def drain(library: QueueLibrary, templates: TemplateDatabases, workers: int) -> Measured:
    """Drain a full queue with `workers` worker processes."""
    column: Column = "drain_1" if workers == 1 else "drain_2"
    return {column: await _median(templates.plan, lambda: _drain(library, templates, "filled", workers))}


async def drain_with_history(library: QueueLibrary, templates: TemplateDatabases) -> Measured:
    """Drain with a million finished jobs in the tables; one pass only, because copying them takes long."""
    single = await _drain(library, templates, "million", 1)
    return {"million": single.rate}


async def durable(library: QueueLibrary, templates: TemplateDatabases) -> Measured:
    """Run durable runs of five checkpointed steps with one worker process."""
    return {"durable": await _median(templates.plan, lambda: _drain(library, templates, "empty", 1))}


async def _submit(
    library: QueueLibrary, templates: TemplateDatabases, column: Column, submit: Callable[[], Awaitable[int]]
) -> Measured:
    async def once() -> Pass:
        async with templates.database(library, "empty"):
            await library.submit("noop", 0)  # the first submit prepares statements and is not measured
            started = time.monotonic()
            jobs = await submit()
            return Pass(jobs, time.monotonic() - started)

    return {column: await _median(templates.plan, once)}


async def _drain(
    library: QueueLibrary, templates: TemplateDatabases, template: Template, workers: int
) -> Pass:
    """Measure from the start of the first job, with all workers ready, until no job is unfinished."""
    async with templates.database(library, template) as dsn:
        if template == "empty":
            await library.submit_runs(templates.plan.durable_runs)
        jobs = await library.unfinished()
        with Workers(library, dsn) as processes:
            processes.start(workers)
            if not processes.wait_until(lambda: processes.counters.earliest() is not None, FIRST_JOB_SECONDS):
                raise RuntimeError(f"{library.key} started no job within {FIRST_JOB_SECONDS:.0f} s")
            started = processes.counters.earliest() or 0.0
            limit = started + templates.plan.drain_limit
            processes.wait_until(lambda: processes.counters.jobs_begun() >= jobs, limit - time.monotonic())
            while True:
                checked_at = time.monotonic()
                unfinished = await library.unfinished()
                if not unfinished or checked_at > limit:
                    return Pass(jobs - unfinished, checked_at - started)
                await asyncio.sleep(POLL_SECONDS)


async def _median(plan: Plan, once: Callable[[], Awaitable[Pass]]) -> float:
    """Return jobs per second; repeat a pass that was too short and take the median."""
    passes = [await once()]
    if passes[0].seconds < plan.short:
        passes += [await once() for _ in range(plan.repeats - 1)]
    return statistics.median(timed.rate for timed in passes)
