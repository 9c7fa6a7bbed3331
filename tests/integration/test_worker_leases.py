"""Race conditions between heartbeats, settlements, claims and shutdown of a worker."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

import pytest

from tests.integration.worker_harness import FAST_WORKER, WorkerHarness
from tests.support.databases import EngineUnderTest
from tests.support.timeouts import async_wait_until
from towpath.errors import DatabaseBusy, DatabaseUnavailable, LeaseLost
from towpath.ledger.contract.ledger import ClaimRequest
from towpath.ledger.contract.settlements import Settled, Settlement
from towpath.ledger.sql_ledger import SqlLedger
from towpath.model.event import EventKind
from towpath.model.ids import DEFAULT_ORG_ID
from towpath.model.job import ClaimedJob, JobStatus, Lease
from towpath.model.outcome import Done, Outcome
from towpath.model.run import RunState
from towpath.stages.contract import Context


class LateAnswers(SqlLedger):
    """Commits a settlement at once, and delays its answer until a heartbeat was sent."""

    def __init__(self, engine: EngineUnderTest) -> None:
        super().__init__(engine.database)
        self._settled = threading.Event()
        self._heartbeat_sent = threading.Event()
        self.refused: list[str] = []

    async def settle(
        self, settlements: Sequence[Settlement], now: datetime, *, lease_seconds: float = 30.0
    ) -> list[Settled | LeaseLost]:
        answers = await super().settle(settlements, now, lease_seconds=lease_seconds)
        self._heartbeat_sent.clear()
        self._settled.set()
        await asyncio.to_thread(self._heartbeat_sent.wait, 5.0)
        return answers

    def heartbeat(self, leases: Sequence[Lease], lease_seconds: float, now: datetime) -> set[str]:
        renewed = super().heartbeat(leases, lease_seconds, now)
        if self._settled.is_set():
            self.refused += [lease.job_id for lease in leases if lease.job_id not in renewed]
            self._heartbeat_sent.set()
        return renewed


async def test_a_heartbeat_just_after_the_settlement_loses_no_lease(harness: WorkerHarness) -> None:
    ledger = LateAnswers(harness.engine)

    async def do_nothing(_context: Context) -> Outcome:
        return Done()

    stages = {"extract": do_nothing, "chunk": do_nothing, "publish": do_nothing}
    submitted = await harness.submit(*stages)
    async with harness.run_worker(
        stages, ledger=ledger, worker_settings=replace(FAST_WORKER, heartbeat_seconds=0.05)
    ):
        assert (await harness.wait_until_ended(submitted)).state is RunState.COMPLETED
    assert ledger.refused, "no heartbeat came between a settlement and its answer"
    jobs = await harness.jobs(submitted)
    assert [(job.status, job.lease_epoch, job.crashes) for job in jobs] == [(JobStatus.COMPLETED, 1, 0)] * 3


class LostAcknowledgements(LateAnswers):
    """Commits every settlement, but raises DatabaseUnavailable the first time."""

    def __init__(self, engine: EngineUnderTest) -> None:
        super().__init__(engine)
        self._seen: set[str] = set()

    async def settle(
        self, settlements: Sequence[Settlement], now: datetime, *, lease_seconds: float = 30.0
    ) -> list[Settled | LeaseLost]:
        fresh = {item.lease.job_id for item in settlements} - self._seen
        if not fresh:
            return await SqlLedger.settle(self, settlements, now, lease_seconds=lease_seconds)
        self._seen |= fresh
        await super().settle(settlements, now, lease_seconds=lease_seconds)
        raise DatabaseUnavailable("The connection broke after the commit.")


async def test_a_settlement_without_acknowledgement_is_repeated_and_the_lease_is_kept(
    harness: WorkerHarness,
) -> None:
    executed: list[str] = []

    async def note(context: Context) -> Outcome:
        executed.append(context.stage)
        return Done()

    submitted = await harness.submit("extract", "chunk")
    ledger = LostAcknowledgements(harness.engine)
    worker_settings = replace(FAST_WORKER, heartbeat_seconds=0.05)
    async with harness.run_worker(
        {"extract": note, "chunk": note}, ledger=ledger, worker_settings=worker_settings
    ):
        assert (await harness.wait_until_ended(submitted)).state is RunState.COMPLETED
    assert ledger.refused, "no heartbeat came between a settlement and its answer"
    assert executed == ["extract", "chunk"]
    assert [job.lease_epoch for job in await harness.jobs(submitted)] == [1, 1]


class UnreachableLedger(SqlLedger):
    """A ledger whose heartbeats and settlements fail after the test cuts it off."""

    def __init__(self, engine: EngineUnderTest) -> None:
        super().__init__(engine.database)
        self.unreachable = False

    def heartbeat(self, leases: Sequence[Lease], lease_seconds: float, now: datetime) -> set[str]:
        if self.unreachable:
            raise DatabaseUnavailable("The network is gone.")
        return super().heartbeat(leases, lease_seconds, now)

    async def settle(
        self, settlements: Sequence[Settlement], now: datetime, *, lease_seconds: float = 30.0
    ) -> list[Settled | LeaseLost]:
        if self.unreachable:
            raise DatabaseUnavailable("The network is gone.")
        return await super().settle(settlements, now, lease_seconds=lease_seconds)


async def test_a_worker_that_cannot_renew_stops_its_stage_before_the_lease_ends(
    harness: WorkerHarness,
) -> None:
    ledger = UnreachableLedger(harness.engine)
    stopped: list[datetime] = []

    async def work(_context: Context) -> Outcome:
        try:
            await asyncio.Event().wait()
        finally:
            stopped.append(harness.clock.now())
        return Done()

    submitted = await harness.submit("extract")
    worker_settings = replace(FAST_WORKER, lease_seconds=1.5, heartbeat_seconds=0.1)
    async with harness.run_worker(
        {"extract": work}, ledger=ledger, worker_settings=worker_settings
    ) as worker:

        async def held() -> bool:
            return bool(worker.running_jobs)

        await async_wait_until(held, "the stage to run")
        ledger.unreachable = True
        lease_until = (await harness.job(submitted)).lease_until

        async def has_stopped() -> bool:
            return bool(stopped)

        await async_wait_until(has_stopped, "the worker to stop its stage")
        assert lease_until is not None
        assert stopped[0] < lease_until
        ledger.unreachable = False


async def test_a_job_that_is_not_settled_in_time_is_left_to_other_workers(
    harness: WorkerHarness, caplog: pytest.LogCaptureFixture
) -> None:
    ledger = UnreachableLedger(harness.engine)
    epochs: list[int] = []

    async def work(context: Context) -> Outcome:
        epochs.append((await harness.job(submitted)).lease_epoch)
        ledger.unreachable = len(epochs) == 1
        return Done()

    caplog.set_level("INFO")
    submitted = await harness.submit("extract")
    async with harness.run_worker(
        {"extract": work}, ledger=ledger, worker_settings=replace(FAST_WORKER, lease_seconds=1.0)
    ):

        async def lost() -> bool:
            return "the lease is lost" in caplog.text

        await async_wait_until(lost, "the worker to give up its lease")
        ledger.unreachable = False
        assert (await harness.wait_until_ended(submitted)).state is RunState.COMPLETED
    assert epochs == [1, 3]


class SlowClaims(SqlLedger):
    """Claims at once, and returns the jobs only when the test allows it."""

    def __init__(self, engine: EngineUnderTest) -> None:
        super().__init__(engine.database)
        self.taken = asyncio.Event()
        self.answer_allowed = asyncio.Event()

    async def claim(self, request: ClaimRequest, now: datetime) -> list[ClaimedJob]:
        jobs = await super().claim(request, now)
        if jobs:
            self.taken.set()
            await self.answer_allowed.wait()
        return jobs


async def test_jobs_claimed_during_the_stop_are_released_without_being_run(
    harness: WorkerHarness,
) -> None:
    ledger = SlowClaims(harness.engine)
    executed: list[str] = []

    async def note(context: Context) -> Outcome:
        executed.append(context.stage)
        return Done()

    submitted = await harness.submit("extract")
    async with harness.run_worker({"extract": note}, ledger=ledger) as worker:
        await ledger.taken.wait()
        worker.stop()
        ledger.answer_allowed.set()
    job = await harness.job(submitted)
    assert executed == []
    assert (job.status, job.attempts, job.crashes) == (JobStatus.PENDING, 0, 0)


class SlowSettlements(SqlLedger):
    """Commits at once, and delays the answer for longer than the grace time of the worker."""

    def __init__(self, engine: EngineUnderTest) -> None:
        super().__init__(engine.database)
        self.settled = asyncio.Event()
        self.answer_allowed = asyncio.Event()

    async def settle(
        self, settlements: Sequence[Settlement], now: datetime, *, lease_seconds: float = 30.0
    ) -> list[Settled | LeaseLost]:
        answers = await super().settle(settlements, now, lease_seconds=lease_seconds)
        if not self.settled.is_set():
            self.settled.set()
            await self.answer_allowed.wait()
        return answers


async def test_a_lease_that_was_kept_during_the_stop_is_released(
    harness: WorkerHarness,
) -> None:
    """The lease of the next stage was kept: if it is not released, the job waits until the lease expires."""
    ledger = SlowSettlements(harness.engine)
    executed: list[str] = []

    async def note(context: Context) -> Outcome:
        executed.append(context.stage)
        return Done()

    submitted = await harness.submit("extract", "chunk")
    worker_settings = replace(FAST_WORKER, grace_seconds=0.05)
    async with harness.run_worker(
        {"extract": note, "chunk": note}, ledger=ledger, worker_settings=worker_settings
    ) as worker:
        await ledger.settled.wait()
        worker.stop()
        asyncio.get_running_loop().call_later(0.3, ledger.answer_allowed.set)
    first, second = await harness.jobs(submitted)
    assert executed == ["extract"]
    assert first.status is JobStatus.COMPLETED
    assert (second.status, second.attempts, second.crashes) == (JobStatus.PENDING, 0, 0)


class BusyClaims(SqlLedger):
    """Reports a busy database for the first two claims."""

    def __init__(self, engine: EngineUnderTest) -> None:
        super().__init__(engine.database)
        self.claims = 0

    async def claim(self, request: ClaimRequest, now: datetime) -> list[ClaimedJob]:
        self.claims += 1
        if self.claims <= 2:
            raise DatabaseBusy("A lock was not granted in time.")
        return await super().claim(request, now)


async def test_claims_on_a_busy_database_are_repeated_and_recorded_as_an_event(
    harness: WorkerHarness, caplog: pytest.LogCaptureFixture
) -> None:
    async def complete(_context: Context) -> Outcome:
        return Done()

    submitted = await harness.submit("extract")
    async with harness.run_worker({"extract": complete}, ledger=BusyClaims(harness.engine)):
        assert (await harness.wait_until_ended(submitted)).state is RunState.COMPLETED
    events = await harness.engine.ledger.events(str(submitted.run_id), org_id=DEFAULT_ORG_ID)
    [contention] = [event for event in events if event.kind is EventKind.SCHEDULER_CONTENTION]
    assert contention.detail == {"times": 2}
    assert caplog.text.count("the database is unavailable, retrying") == 2
