"""The provider limiter: throttling affects one provider only, uses up no attempt and holds no worker slot."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable
from datetime import timedelta

import pytest

from tests.integration.worker_harness import WorkerHarness
from tests.support.databases import EngineUnderTest
from tests.support.timeouts import async_wait_until
from towpath.clock import ManualClock
from towpath.errors import AccountRefused, Throttled
from towpath.lifecycle.rate_limit import Limits
from towpath.model.ids import DEFAULT_ORG_ID
from towpath.model.job import JobStatus, WaitingReason
from towpath.model.outcome import Done, Outcome
from towpath.model.provider_answer import Answer, Pending
from towpath.model.run import FailureType, RunState
from towpath.stages.contract import Context, ProviderCall, Stage, SuspendStage
from towpath.worker.provider_limiter import BackoffSettings, ProviderLimiter

LIMITED = {"busy": Limits(), "free": Limits()}


class Provider:
    """Raises the given error while it is set, and counts its calls."""

    def __init__(self, error: Callable[[], Exception] | None = None) -> None:
        self.error = error
        self.calls = 0

    async def call(self) -> Answer:
        self.calls += 1
        if self.error is not None:
            raise self.error()
        return Answer(b"words")

    def stage(self, name: str) -> Stage:
        async def stage(context: Context) -> Outcome:
            await context.call_once(ProviderCall(name, "model", {}, context.document_id), self.call)
            return Done()

        return stage


def _limiter(harness: WorkerHarness, pauses: BackoffSettings | None = None) -> ProviderLimiter:
    return ProviderLimiter(harness.engine.ledger, harness.clock, LIMITED, pauses)


async def test_a_throttled_provider_is_called_by_no_job_and_other_providers_are_not_affected(
    harness: WorkerHarness,
) -> None:
    busy, free = Provider(lambda: Throttled("Too many requests.", 600.0)), Provider()
    stages = {"extract": busy.stage("busy"), "embed": free.stage("free")}
    first = await harness.submit("extract")
    async with harness.run_worker(stages, limiter=_limiter(harness)):

        async def first_waits() -> bool:
            return (await harness.job(first)).waiting_reason is not None

        await async_wait_until(first_waits, "the first job to be suspended")
        others = [await harness.submit("extract") for _ in range(5)]
        unthrottled = [await harness.submit("embed") for _ in range(5)]
        for submitted in unthrottled:
            assert (await harness.wait_until_ended(submitted)).state is RunState.COMPLETED

        async def all_wait() -> bool:
            jobs = [await harness.job(submitted) for submitted in (first, *others)]
            return all(job.status is JobStatus.PENDING and job.waiting_reason for job in jobs)

        await async_wait_until(all_wait, "all jobs to be suspended")
    assert busy.calls == 1
    jobs = [await harness.job(submitted) for submitted in (first, *others)]
    assert {job.attempts for job in jobs} == {0}
    assert {(job.waiting_reason, job.waiting_provider, job.waiting_detail) for job in jobs} == {
        (WaitingReason.PROVIDER_THROTTLED, "busy", "Too many requests.")
    }
    earliest = min(job.available_at for job in jobs)
    assert earliest > harness.clock.now() + timedelta(seconds=500)
    assert len({job.available_at for job in jobs}) == len(jobs), "the retry times are spread"


async def test_calls_that_are_throttled_together_count_once(harness: WorkerHarness) -> None:
    arrived = 0
    all_arrived = asyncio.Event()

    async def refused_together() -> Answer:
        nonlocal arrived
        arrived += 1
        if arrived == 6:
            all_arrived.set()
        await all_arrived.wait()
        raise Throttled("Too many requests.")

    async def stage(context: Context) -> Outcome:
        await context.call_once(ProviderCall("busy", "model", {}, context.document_id), refused_together)
        return Done()

    waiting = [await harness.submit("extract") for _ in range(6)]
    limiter = _limiter(harness, BackoffSettings(throttled=100.0, longest_throttled=6400.0))
    async with harness.run_worker({"extract": stage}, limiter=limiter):

        async def all_wait() -> bool:
            return all([(await harness.job(one)).waiting_reason for one in waiting])

        await async_wait_until(all_wait, "all jobs to be suspended")
    last = max([(await harness.job(one)).available_at for one in waiting])
    assert last < harness.clock.now() + timedelta(seconds=150), (
        "the wait is not doubled for each of the calls"
    )


async def test_runs_of_a_refused_account_wait_until_the_provider_accepts_calls_again(
    harness: WorkerHarness,
) -> None:
    provider = Provider(lambda: AccountRefused("No credit left. Top it up."))
    pauses = BackoffSettings(refused=0.3)
    async with harness.run_worker({"extract": provider.stage("busy")}, limiter=_limiter(harness, pauses)):
        submitted = await harness.submit("extract")

        async def called_twice() -> bool:
            return provider.calls >= 2

        await async_wait_until(called_twice, "the provider to be tried again")
        assert (await harness.run(submitted)).state is RunState.RUNNING
        provider.error = None
        assert (await harness.wait_until_ended(submitted)).state is RunState.COMPLETED
    job = await harness.job(submitted)
    assert job.attempts == 0
    assert len((job.error_log or "").splitlines()) == 1, "one line a minute"


async def test_a_forced_retry_that_succeeds_makes_all_waiting_jobs_due(
    harness: WorkerHarness,
) -> None:
    provider = Provider(lambda: AccountRefused("No credit left. Top it up."))
    limiters = [_limiter(harness, BackoffSettings(refused=600.0)) for _ in range(2)]
    stages = {"extract": provider.stage("busy")}
    async with (
        harness.run_worker(stages, limiter=limiters[0]),
        harness.run_worker(stages, limiter=limiters[1]),
    ):
        waiting = [await harness.submit("extract") for _ in range(6)]

        async def all_wait() -> bool:
            return all([(await harness.job(one)).waiting_reason for one in waiting])

        async def refused_again() -> bool:
            return provider.calls > calls_before and await all_wait()

        async def retry(number: int) -> None:
            job = await harness.job(waiting[number])
            await harness.engine.ledger.retry(job.id, harness.clock.now(), org_id=DEFAULT_ORG_ID)
            harness.notifier.notify()

        await async_wait_until(all_wait, "all jobs to be suspended")
        calls_before = provider.calls
        await retry(0)
        await async_wait_until(refused_again, "the provider to be called once more, before its retry time")
        assert provider.calls == calls_before + 1
        provider.error = None
        await retry(3)
        for one in waiting:
            assert (await harness.wait_until_ended(one)).state is RunState.COMPLETED
    assert {(await harness.job(one)).attempts for one in waiting} == {0}


async def test_a_forced_retry_that_waits_for_a_free_call_stays_forced(harness: WorkerHarness) -> None:
    """The provider's only allowed call is in use: the retry is suspended, and then made although it is throttled."""
    in_call, finish = asyncio.Event(), asyncio.Event()

    async def slow() -> Answer:
        in_call.set()
        await finish.wait()
        return Answer(b"words")

    async def slow_stage(context: Context) -> Outcome:
        await context.call_once(ProviderCall("busy", "model", {}, context.document_id), slow)
        return Done()

    provider = Provider()
    limiter = ProviderLimiter(harness.engine.ledger, harness.clock, {"busy": Limits(concurrency=1)})
    async with harness.run_worker({"extract": slow_stage, "embed": provider.stage("busy")}, limiter=limiter):
        first = await harness.submit("extract")
        await in_call.wait()
        now = harness.clock.now()
        await harness.engine.ledger.throttle_provider(
            "busy", now + timedelta(days=1), WaitingReason.PROVIDER_THROTTLED, "slow down", now
        )
        submitted = await harness.submit("embed")

        async def waits() -> bool:
            return (await harness.job(submitted)).waiting_reason is not None

        async def waits_for_a_call() -> bool:
            return (await harness.job(submitted)).waiting_reason is WaitingReason.PROVIDER_LIMIT

        await async_wait_until(waits, "the job to be suspended")
        job = await harness.job(submitted)
        await harness.engine.ledger.retry(job.id, harness.clock.now(), org_id=DEFAULT_ORG_ID)
        harness.notifier.notify()
        await async_wait_until(waits_for_a_call, "the retry to wait for a free call")
        finish.set()
        assert (await harness.wait_until_ended(submitted)).state is RunState.COMPLETED
        assert (await harness.wait_until_ended(first)).state is RunState.COMPLETED


async def test_with_a_deadline_a_refused_account_fails_the_run_at_once(harness: WorkerHarness) -> None:
    provider = Provider(lambda: AccountRefused("The key is wrong."))
    limiter = _limiter(harness, BackoffSettings(refused=None))
    async with harness.run_worker({"extract": provider.stage("busy")}, limiter=limiter):
        run = await harness.wait_until_ended(await harness.submit("extract"))
    assert (run.state, run.failure_type) == (RunState.FAILED, FailureType.PROVIDER_REFUSED)
    assert run.error == "The key is wrong."


async def test_a_throttled_poll_is_repeated_and_the_operation_is_not_restarted(
    harness: WorkerHarness,
) -> None:
    starts, polls = 0, 0

    async def start() -> str:
        nonlocal starts
        starts += 1
        return "operation"

    async def poll(_: str) -> Pending | Answer:
        nonlocal polls
        polls += 1
        if polls == 1:
            raise Throttled("Too many polls.", 0.1)
        return Answer(b"words")

    async def stage(context: Context) -> Outcome:
        await context.run_operation(ProviderCall("busy", "model", {}, "input"), start, poll)
        return Done()

    async with harness.run_worker({"extract": stage}, limiter=_limiter(harness)):
        submitted = await harness.submit("extract")
        assert (await harness.wait_until_ended(submitted)).state is RunState.COMPLETED
    assert (starts, polls, (await harness.job(submitted)).attempts) == (1, 2, 0)


# Several workers on one manual clock share the limits.


class LimiterGroup:
    """Several limiters, one for each worker process."""

    def __init__(self, engine: EngineUnderTest, clock: ManualClock, limits: Limits, size: int) -> None:
        self.clock = clock
        self.limiters = [ProviderLimiter(engine.open(), clock, {"busy": limits}) for _ in range(size)]
        self.acquired = Counter[int]()

    async def acquire(self, member: int, tokens: int = 0) -> bool:
        try:
            await self.limiters[member].acquire("busy", requests=1, tokens=tokens)
        except SuspendStage:
            return False
        self.acquired[member] += 1
        return True

    async def complete(self, member: int) -> None:
        async with self.limiters[member].observe("busy"):
            pass


@pytest.fixture
def engine_and_clock(clock: ManualClock, engine: EngineUnderTest) -> tuple[EngineUnderTest, ManualClock]:
    return engine, clock


async def test_requests_per_minute_are_shared_and_used_up(
    engine_and_clock: tuple[EngineUnderTest, ManualClock],
) -> None:
    engine, clock = engine_and_clock
    group = LimiterGroup(engine, clock, Limits(requests_per_minute=120), 3)
    for _ in range(60 * 4):
        for member in range(3):
            if await group.acquire(member):
                await group.complete(member)
        clock.advance(0.25)
    assert 100 <= group.acquired.total() <= 120 + 6
    assert min(group.acquired.values()) >= 30


async def test_tokens_per_minute_limit_requests_of_any_size(
    engine_and_clock: tuple[EngineUnderTest, ManualClock],
) -> None:
    engine, clock = engine_and_clock
    group = LimiterGroup(engine, clock, Limits(tokens_per_minute=60_000), 2)
    for _ in range(120 * 2):
        for member in range(2):
            if await group.acquire(member, tokens=9_000):
                await group.complete(member)
        clock.advance(0.5)
    assert 100_000 <= group.acquired.total() * 9_000 <= 120_000 + 2 * 9_000


async def test_all_workers_together_keep_the_concurrency_limit(
    engine_and_clock: tuple[EngineUnderTest, ManualClock],
) -> None:
    engine, clock = engine_and_clock
    group = LimiterGroup(engine, clock, Limits(concurrency=4), 3)
    # All workers register and wait until each one knows the others
    for member in range(3):
        if await group.acquire(member):
            await group.complete(member)
    clock.advance(3)
    in_progress = [member for _ in range(5) for member in range(3) if await group.acquire(member)]
    assert len(in_progress) == 4
    # The share of a worker that leaves goes to the others
    for member in in_progress:
        await group.complete(member)
    await group.limiters[2].close()
    clock.advance(3)
    assert len([member for _ in range(5) for member in range(2) if await group.acquire(member)]) == 4


async def test_throttling_by_one_worker_holds_for_the_others_within_one_second(
    engine_and_clock: tuple[EngineUnderTest, ManualClock],
) -> None:
    engine, clock = engine_and_clock
    group = LimiterGroup(engine, clock, Limits(), 2)
    assert await group.acquire(0)
    assert await group.acquire(1)
    with pytest.raises(SuspendStage, match="slow down"):
        async with group.limiters[0].observe("busy"):
            raise Throttled("slow down", 60.0)
    clock.advance(1)
    assert not await group.acquire(1)
    clock.advance(60)
    assert await group.acquire(1)


async def test_without_retry_after_the_pauses_grow_until_the_provider_answers(
    engine_and_clock: tuple[EngineUnderTest, ManualClock],
) -> None:
    engine, clock = engine_and_clock
    limiter = ProviderLimiter(
        engine.ledger, clock, LIMITED, BackoffSettings(throttled=10.0, longest_throttled=30.0)
    )
    waits: list[float] = []
    for _ in range(4):
        await limiter.acquire("busy", requests=1)
        with pytest.raises(SuspendStage) as suspended:
            async with limiter.observe("busy"):
                raise Throttled("later")
        waits.append(round((suspended.value.suspend.until - clock.now()).total_seconds()))
        clock.advance(waits[-1] + 1)
    assert waits == [10, 20, 30, 30]


async def test_calls_that_fail_together_write_the_throttling_once(harness: WorkerHarness) -> None:
    provider = Provider(lambda: Throttled("Too many requests.", 600.0))
    limiter = _limiter(harness)
    ledger = harness.engine.ledger
    throttle_writes = 0
    throttle = ledger.throttle_provider

    async def counted(*arguments: object) -> None:
        nonlocal throttle_writes
        throttle_writes += 1
        await throttle(*arguments)  # pyright: ignore[reportArgumentType]  (passed on unchanged)

    ledger.throttle_provider = counted  # pyright: ignore[reportAttributeAccessIssue]
    for _ in range(4):
        await limiter.acquire("busy", requests=1)

    async def fail_call() -> None:
        async with limiter.observe("busy"):
            await provider.call()

    errors = await asyncio.gather(*(fail_call() for _ in range(4)), return_exceptions=True)
    assert [type(error) for error in errors] == [SuspendStage] * 4
    assert throttle_writes == 1
