"""WorkerHarness: runs a worker in the test's event loop, on a real ledger, with stages of the test."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass, field, replace

from tests.support.databases import EngineUnderTest
from tests.support.factories import a_document
from tests.support.timeouts import WAIT_SECONDS, async_wait_until
from towpath.clock import SystemClock
from towpath.ledger.contract.ledger import Ledger, RunPlan, Submission, Submitted
from towpath.model.ids import DEFAULT_ORG_ID
from towpath.model.job import Job
from towpath.model.outcome import Done, Outcome
from towpath.model.run import Run
from towpath.notify.in_process import InProcessNotifier
from towpath.pipelines.pipeline import Pipeline, StageEntry
from towpath.stages.contract import Context, Stage
from towpath.worker.executor import Executor, RetryPolicy
from towpath.worker.provider_limiter import ProviderLimiter
from towpath.worker.settings import WorkerSettings
from towpath.worker.worker import Worker

#: Settings without delays: retries run at once and polls are frequent.
NO_BACKOFF = RetryPolicy(max_attempts=3, backoff_scale=0.0, storage_retry_seconds=0.05)
FAST_WORKER = WorkerSettings(
    concurrency=8, lease_seconds=5.0, heartbeat_seconds=1.0, poll_seconds=0.05, grace_seconds=0.2
)


class ArtifactFolder:
    """Stores large answers in memory."""

    def __init__(self) -> None:
        self.bodies: dict[str, bytes] = {}

    async def put(self, org_id: str, key: str, body: bytes) -> str:
        self.bodies[f"{org_id}/{key}"] = body
        return key

    async def get(self, org_id: str, key: str) -> bytes:
        return self.bodies[f"{org_id}/{key}"]


@dataclass(slots=True)
class WorkerHarness:
    engine: EngineUnderTest
    clock: SystemClock = field(default_factory=SystemClock)
    notifier: InProcessNotifier = field(default_factory=InProcessNotifier)
    artifacts: ArtifactFolder = field(default_factory=ArtifactFolder)

    @contextlib.asynccontextmanager
    async def run_worker(
        self,
        stages: Mapping[str, Stage],
        *,
        follow_ups: Mapping[str, Stage] | None = None,
        ledger: Ledger | None = None,
        worker_settings: WorkerSettings = FAST_WORKER,
        retry_policy: RetryPolicy = NO_BACKOFF,
        limiter: ProviderLimiter | None = None,
    ) -> AsyncGenerator[Worker]:
        """Run a worker that serves one pipeline of the given stages, in their order."""
        ledger = ledger or self.engine.ledger
        stage_entries = tuple(StageEntry(name, stage) for name, stage in stages.items())
        follow_up_entries = tuple(StageEntry(name, stage) for name, stage in (follow_ups or {}).items())
        pipelines = {"document": Pipeline("document", 1, stage_entries, follow_up_entries)}
        executor = Executor(ledger, pipelines, self.artifacts, self.clock, retry_policy, limiter)
        await self.notifier.open()
        worker = Worker(ledger, executor, self.notifier, self.clock, worker_settings)
        running = asyncio.create_task(worker.run())
        try:
            yield worker
        finally:
            worker.stop()
            await asyncio.wait_for(running, WAIT_SECONDS)
            await self.notifier.close()

    async def submit(
        self, *stages: str, content: str | None = None, plan: RunPlan | None = None
    ) -> Submitted:
        plan = replace(plan or RunPlan("document", 1, ()), stages=stages)
        submission = Submission(a_document(content), plan)
        submitted = await self.engine.ledger.submit(submission, self.clock.now())
        self.notifier.notify()
        return submitted

    async def run(self, submitted: Submitted) -> Run:
        return await self.engine.ledger.run(str(submitted.run_id), org_id=DEFAULT_ORG_ID)

    async def jobs(self, submitted: Submitted) -> list[Job]:
        return await self.engine.ledger.jobs(str(submitted.run_id), org_id=DEFAULT_ORG_ID)

    async def job(self, submitted: Submitted) -> Job:
        """The newest job of the run."""
        return (await self.jobs(submitted))[-1]

    async def wait_until_ended(self, submitted: Submitted) -> Run:
        """Wait until the run has ended, and return it."""

        async def ended_run() -> Run | None:
            run = await self.run(submitted)
            return run if run.ended_at is not None else None

        return await async_wait_until(ended_run, "the run to end")


async def do_nothing(_context: Context) -> Outcome:
    return Done()
