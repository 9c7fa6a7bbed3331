"""A worker inside the test's own event loop, on a real ledger, with stages that the test writes."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeVar

from tests.support.databases import EngineUnderTest
from tests.support.factories import a_document
from towpath.clock import SystemClock
from towpath.ledger.contract import Ledger, Plan, Submission, Submitted
from towpath.model.ids import HOME_ORG
from towpath.model.work import Done, Job, Outcome, Run
from towpath.pipelines.pipeline import Pipeline, Step
from towpath.queue.local import LocalBell
from towpath.stages.contract import Context, Stage
from towpath.worker.execute import Executor, Rules
from towpath.worker.governor import Governor
from towpath.worker.worker import Pace, Worker

T = TypeVar("T")

PATIENCE = 20.0

#: Retries follow at once, and nothing waits for a poll longer than it must.
HASTY = Rules(max_attempts=3, backoff_scale=0.0, throttle_seconds=0.05)
BRISK = Pace(concurrency=8, lease_seconds=5.0, heartbeat_seconds=1.0, poll_seconds=0.05, grace_seconds=0.2)


class Shelf:
    """Artifacts in memory."""

    def __init__(self) -> None:
        self.bodies: dict[str, bytes] = {}

    async def put(self, org_id: str, key: str, body: bytes) -> str:
        self.bodies[f"{org_id}/{key}"] = body
        return key

    async def get(self, org_id: str, key: str) -> bytes:
        return self.bodies[f"{org_id}/{key}"]


@dataclass(slots=True)
class Workshop:
    engine: EngineUnderTest
    clock: SystemClock = field(default_factory=SystemClock)
    bell: LocalBell = field(default_factory=LocalBell)
    shelf: Shelf = field(default_factory=Shelf)

    @contextlib.asynccontextmanager
    async def working(
        self,
        stages: Mapping[str, Stage],
        *,
        follow_ups: Mapping[str, Stage] | None = None,
        ledger: Ledger | None = None,
        pace: Pace = BRISK,
        rules: Rules = HASTY,
        governor: Governor | None = None,
    ) -> AsyncGenerator[Worker]:
        """A worker that serves one pipeline made of these stages, in their order."""
        ledger = ledger or self.engine.ledger
        steps = tuple(Step(name, stage) for name, stage in stages.items())
        after = tuple(Step(name, stage) for name, stage in (follow_ups or {}).items())
        pipelines = {"document": Pipeline("document", 1, steps, after)}
        executor = Executor(ledger, pipelines, self.shelf, self.clock, rules, governor)
        await self.bell.open()
        worker = Worker(ledger, executor, self.bell, self.clock, pace)
        running = asyncio.create_task(worker.run())
        try:
            yield worker
        finally:
            worker.stop()
            await asyncio.wait_for(running, PATIENCE)
            await self.bell.close()

    async def submit(self, *stages: str, content: str | None = None, plan: Plan | None = None) -> Submitted:
        plan = replace(plan or Plan("document", 1, ()), stages=stages)
        submission = Submission(a_document(content), plan)
        submitted = await self.engine.ledger.submit(submission, self.clock.now())
        self.bell.ring()
        return submitted

    async def run(self, submitted: Submitted) -> Run:
        return await self.engine.ledger.run(str(submitted.run_id), org_id=HOME_ORG)

    async def jobs(self, submitted: Submitted) -> list[Job]:
        return await self.engine.ledger.jobs(str(submitted.run_id), org_id=HOME_ORG)

    async def job(self, submitted: Submitted) -> Job:
        """The job of the run that was made last."""
        return (await self.jobs(submitted))[-1]

    async def ended(self, submitted: Submitted) -> Run:
        """The run, once it has ended."""

        async def look() -> Run | None:
            run = await self.run(submitted)
            return run if run.ended_at is not None else None

        return await until(look, "the run to end")


async def nothing(_context: Context) -> Outcome:
    return Done()


async def until(fact: Callable[[], Awaitable[T | None]], what: str, seconds: float = PATIENCE) -> T:
    """Ask again and again until ``fact`` has an answer that is true; then give it."""
    deadline = time.monotonic() + seconds
    while not (answer := await fact()):
        if time.monotonic() > deadline:
            raise AssertionError(f"Waited {seconds:.0f} s in vain for {what}.")
        await asyncio.sleep(0.01)
    return answer
