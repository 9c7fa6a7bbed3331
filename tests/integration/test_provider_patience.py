"""A provider that throttles or refuses for hours, on a manual clock: logged, visible, and not for ever."""

from __future__ import annotations

import time
from datetime import timedelta

import pytest

from tests.integration.worker_harness import ArtifactFolder
from tests.support.databases import EngineUnderTest
from tests.support.factories import a_document
from towpath.clock import ManualClock
from towpath.errors import AccountRefused, Throttled, TowpathError
from towpath.ledger.contract.ledger import ClaimRequest, RunPlan, Submission
from towpath.lifecycle.rate_limit import Limits
from towpath.model.event import EventKind
from towpath.model.ids import DEFAULT_ORG_ID
from towpath.model.job import Job, JobStatus, WaitingReason
from towpath.model.outcome import Done, Outcome
from towpath.model.provider_answer import Answer
from towpath.model.run import FailureType, Run, RunState
from towpath.pipelines.pipeline import Pipeline, StageEntry
from towpath.queries.waiting_reason import why_waiting
from towpath.stages.contract import Context, ProviderCall
from towpath.worker.executor import Executor, RetryPolicy
from towpath.worker.heartbeat import HeldLease
from towpath.worker.provider_limiter import BackoffSettings, ProviderLimiter
from towpath.worker.provider_patience import ProviderPatience

HOUR = 3600.0
LEASE_SECONDS = 30.0


class Simulation:
    """One document whose only stage calls one provider; jobs are claimed when the manual clock makes them due."""

    def __init__(
        self,
        engine: EngineUnderTest,
        clock: ManualClock,
        *,
        patience: float = HOUR,
        throttle_uses_attempt: bool = False,
        max_attempts: int = 3,
    ) -> None:
        self.ledger, self.clock = engine.ledger, clock
        self.error: TowpathError | None = None
        self.calls = 0
        self.processing: list[Job] = []
        self._max_attempts = max_attempts
        limiter = ProviderLimiter(
            self.ledger,
            clock,
            {"busy": Limits()},
            BackoffSettings(throttle_uses_attempt=throttle_uses_attempt),
        )
        policy = RetryPolicy(
            max_attempts, fixed_backoff=True, patience=ProviderPatience(24 * HOUR, {"busy": patience})
        )
        pipelines = {"document": Pipeline("document", 1, (StageEntry("extract", self._stage),))}
        self._executor = Executor(self.ledger, pipelines, ArtifactFolder(), clock, policy, limiter)

    async def _stage(self, context: Context) -> Outcome:
        await context.call_once(ProviderCall("busy", "model", {}, "input"), self._call)
        return Done()

    async def _call(self) -> Answer:
        self.calls += 1
        self.processing.append(await self.job())
        if self.error is not None:
            raise self.error
        return Answer(b"words")

    async def submit(self) -> None:
        plan = RunPlan("document", 1, ("extract",), max_attempts=self._max_attempts)
        submission = Submission(a_document("bytes"), plan)
        self.run_id = str((await self.ledger.submit(submission, self.clock.now())).run_id)

    async def step(self) -> None:
        """Advance the clock to the time at which the job is due, and execute it once."""
        due = (await self.job()).available_at
        self.clock.advance(max(0.0, (due - self.clock.now()).total_seconds()))
        [job] = await self.ledger.claim(ClaimRequest("worker", 1, LEASE_SECONDS, None), self.clock.now())
        held = HeldLease(job.lease, time.monotonic() + HOUR, lambda: None)
        settlement = await self._executor.execute(job, held, keep=lambda _: False)
        assert settlement is not None
        await self.ledger.settle([settlement], self.clock.now(), lease_seconds=LEASE_SECONDS)

    async def run_to_end(self) -> Run:
        for _ in range(500):
            if (run := await self.run()).state in (RunState.FAILED, RunState.COMPLETED):
                return run
            await self.step()
        raise AssertionError("the run did not end in 500 steps")

    async def retry(self) -> None:
        self.run_id = await self.ledger.retry((await self.job()).id, self.clock.now(), org_id=DEFAULT_ORG_ID)

    async def run(self) -> Run:
        return await self.ledger.run(self.run_id, org_id=DEFAULT_ORG_ID)

    async def job(self) -> Job:
        return (await self.ledger.jobs(self.run_id, org_id=DEFAULT_ORG_ID))[-1]

    async def log_lines(self) -> list[str]:
        return ((await self.job()).error_log or "").splitlines()

    async def events(self, kind: EventKind) -> int:
        events = await self.ledger.events(self.run_id, org_id=DEFAULT_ORG_ID)
        return len([event for event in events if event.kind is kind])


@pytest.mark.parametrize("retry_after", [None, 20.0, 120.0], ids=["without Retry-After", "20 s", "120 s"])
async def test_429_for_an_hour_is_logged_and_fails_at_the_patience_and_a_retry_completes(
    engine: EngineUnderTest, clock: ManualClock, retry_after: float | None
) -> None:
    simulation = Simulation(engine, clock, patience=HOUR)
    simulation.error = Throttled("Too many requests.", retry_after)
    started = clock.now()
    await simulation.submit()
    run = await simulation.run_to_end()

    assert (run.state, run.failure_type) == (RunState.FAILED, FailureType.PROVIDER_UNAVAILABLE)
    assert timedelta(seconds=HOUR) <= clock.now() - started < timedelta(seconds=HOUR + 2)
    assert "provider_patience_seconds" in (run.error or "")
    lines = await simulation.log_lines()
    times = [line.split(" ", 1)[0][:16] for line in lines]
    assert 5 < len(lines) <= 61
    assert len(set(times[:-1])) == len(times[:-1]), "more than one line in a minute"
    assert all("busy limits the rate" in line for line in lines)
    assert await simulation.events(EventKind.STEP_SUSPENDED) >= len(lines) - 1

    simulation.error = None
    await simulation.retry()
    assert (await simulation.run_to_end()).state is RunState.COMPLETED
    assert (await simulation.job()).attempts == 0


async def test_a_refused_account_fails_as_refused(engine: EngineUnderTest, clock: ManualClock) -> None:
    simulation = Simulation(engine, clock, patience=HOUR)
    simulation.error = AccountRefused("The key is wrong.")
    await simulation.submit()
    run = await simulation.run_to_end()
    assert run.failure_type is FailureType.PROVIDER_REFUSED
    assert "The key is wrong." in (run.error or "")
    assert simulation.calls == 13, "one call every five minutes, the last one at the end"


async def test_the_reason_stays_visible_while_the_job_is_claimed_again(
    engine: EngineUnderTest, clock: ManualClock
) -> None:
    simulation = Simulation(engine, clock)
    simulation.error = Throttled("Too many requests.", 60.0)
    await simulation.submit()
    await simulation.step()
    waiting = await simulation.job()
    assert (waiting.status, waiting.attempts) == (JobStatus.PENDING, 0)
    assert waiting.waiting_reason is WaitingReason.PROVIDER_THROTTLED
    await simulation.step()
    first, second = simulation.processing
    assert why_waiting(first, clock.now()) is None
    reason = why_waiting(second, clock.now())
    assert second.status is JobStatus.PROCESSING
    assert reason is not None
    assert (reason.reason, reason.provider, reason.detail) == (
        WaitingReason.PROVIDER_THROTTLED,
        "busy",
        "Too many requests.",
    )


async def test_a_job_that_completes_after_a_wait_used_no_attempt(
    engine: EngineUnderTest, clock: ManualClock
) -> None:
    simulation = Simulation(engine, clock)
    simulation.error = Throttled("Too many requests.", 60.0)
    await simulation.submit()
    for _ in range(5):
        await simulation.step()
    simulation.error = None
    assert (await simulation.run_to_end()).state is RunState.COMPLETED
    assert (await simulation.job()).attempts == 0


async def test_with_throttle_uses_attempt_a_429_is_a_failed_attempt(
    engine: EngineUnderTest, clock: ManualClock
) -> None:
    simulation = Simulation(engine, clock, throttle_uses_attempt=True, max_attempts=3)
    simulation.error = Throttled("Too many requests.")
    await simulation.submit()
    states: list[tuple[JobStatus, int, int]] = []
    for wait in (30, 60, 0):
        before = clock.now()
        await simulation.step()
        job = await simulation.job()
        states.append((job.status, job.attempts, len(await simulation.log_lines())))
        if job.status is JobStatus.PENDING:
            assert job.available_at - clock.now() == timedelta(seconds=wait)
        assert clock.now() >= before
    assert states == [(JobStatus.PENDING, 1, 1), (JobStatus.PENDING, 2, 2), (JobStatus.FAILED, 3, 3)]
    assert ((await simulation.run()).state, simulation.calls) == (RunState.FAILED, 3)
    assert all("Too many requests." in line for line in await simulation.log_lines())


async def test_with_throttle_uses_attempt_retry_after_is_the_time_of_the_next_attempt(
    engine: EngineUnderTest, clock: ManualClock
) -> None:
    simulation = Simulation(engine, clock, throttle_uses_attempt=True)
    simulation.error = Throttled("Too many requests.", 77.0)
    await simulation.submit()
    await simulation.step()
    job = await simulation.job()
    assert (job.attempts, job.available_at) == (1, clock.now() + timedelta(seconds=77))
