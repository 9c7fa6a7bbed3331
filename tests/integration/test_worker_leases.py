"""The moments between heartbeat and settlement, in which a careless worker would rob or hurt itself."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

import pytest

from tests.integration.workshop import BRISK, Workshop, until
from tests.support.databases import EngineUnderTest
from towpath.errors import DatabaseUnavailable, LeaseLost
from towpath.ledger.contract import Settled, Settlement
from towpath.ledger.ledger import SqlLedger
from towpath.model.work import Claimed, Done, JobStatus, Lease, Outcome, RunState
from towpath.stages.contract import Context


class LateAnswers(SqlLedger):
    """Commits at once, and lets the answer to a settlement wait until a heartbeat has come in between."""

    def __init__(self, engine: EngineUnderTest) -> None:
        super().__init__(engine.database)
        self._settled = threading.Event()
        self._beaten = threading.Event()
        self.refused: list[str] = []

    async def settle(
        self, settlements: Sequence[Settlement], now: datetime, *, lease_seconds: float = 30.0
    ) -> list[Settled | LeaseLost]:
        answers = await super().settle(settlements, now, lease_seconds=lease_seconds)
        self._beaten.clear()
        self._settled.set()
        await asyncio.to_thread(self._beaten.wait, 5.0)
        return answers

    def heartbeat(self, leases: Sequence[Lease], lease_seconds: float, now: datetime) -> set[str]:
        kept = super().heartbeat(leases, lease_seconds, now)
        if self._settled.is_set():
            self.refused += [lease.job_id for lease in leases if lease.job_id not in kept]
            self._beaten.set()
        return kept


async def test_a_heartbeat_that_comes_just_after_the_settlement_robs_nobody(workshop: Workshop) -> None:
    ledger = LateAnswers(workshop.engine)

    async def nothing(_context: Context) -> Outcome:
        return Done()

    stages = {"extract": nothing, "chunk": nothing, "publish": nothing}
    submitted = await workshop.submit(*stages)
    async with workshop.working(stages, ledger=ledger, pace=replace(BRISK, heartbeat_seconds=0.05)):
        assert (await workshop.ended(submitted)).state is RunState.COMPLETED
    assert ledger.refused, "no heartbeat came between a settlement and its answer"
    jobs = await workshop.jobs(submitted)
    assert [(job.status, job.lease_epoch, job.crashes) for job in jobs] == [(JobStatus.COMPLETED, 1, 0)] * 3


class LostAcknowledgements(LateAnswers):
    """Commits every settlement, and says the first time that the database did not answer."""

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


async def test_a_settlement_whose_acknowledgement_was_lost_is_found_done_and_the_lease_is_still_kept(
    workshop: Workshop,
) -> None:
    worked: list[str] = []

    async def note(context: Context) -> Outcome:
        worked.append(context.stage)
        return Done()

    submitted = await workshop.submit("extract", "chunk")
    ledger = LostAcknowledgements(workshop.engine)
    pace = replace(BRISK, heartbeat_seconds=0.05)
    async with workshop.working({"extract": note, "chunk": note}, ledger=ledger, pace=pace):
        assert (await workshop.ended(submitted)).state is RunState.COMPLETED
    assert ledger.refused, "no heartbeat came between a settlement and its answer"
    assert worked == ["extract", "chunk"]
    assert [job.lease_epoch for job in await workshop.jobs(submitted)] == [1, 1]


class Unreachable(SqlLedger):
    """A ledger whose heartbeats and settlements do not get through once it is told so."""

    def __init__(self, engine: EngineUnderTest) -> None:
        super().__init__(engine.database)
        self.cut = False

    def heartbeat(self, leases: Sequence[Lease], lease_seconds: float, now: datetime) -> set[str]:
        if self.cut:
            raise DatabaseUnavailable("The network is gone.")
        return super().heartbeat(leases, lease_seconds, now)

    async def settle(
        self, settlements: Sequence[Settlement], now: datetime, *, lease_seconds: float = 30.0
    ) -> list[Settled | LeaseLost]:
        if self.cut:
            raise DatabaseUnavailable("The network is gone.")
        return await super().settle(settlements, now, lease_seconds=lease_seconds)


async def test_a_worker_that_cannot_renew_stops_its_stage_before_the_lease_ends(workshop: Workshop) -> None:
    ledger = Unreachable(workshop.engine)
    stopped: list[datetime] = []

    async def work(_context: Context) -> Outcome:
        try:
            await asyncio.Event().wait()
        finally:
            stopped.append(workshop.clock.now())
        return Done()

    submitted = await workshop.submit("extract")
    pace = replace(BRISK, lease_seconds=1.5, heartbeat_seconds=0.1)
    async with workshop.working({"extract": work}, ledger=ledger, pace=pace) as worker:

        async def held() -> bool:
            return bool(worker.holding)

        await until(held, "the stage to run")
        ledger.cut = True
        until_ = (await workshop.job(submitted)).lease_until

        async def silent() -> bool:
            return bool(stopped)

        await until(silent, "the worker to fall silent")
        assert until_ is not None
        assert stopped[0] < until_
        ledger.cut = False


async def test_what_could_not_be_settled_in_time_is_left_to_others(
    workshop: Workshop, caplog: pytest.LogCaptureFixture
) -> None:
    ledger = Unreachable(workshop.engine)
    epochs: list[int] = []

    async def work(context: Context) -> Outcome:
        epochs.append((await workshop.job(submitted)).lease_epoch)
        ledger.cut = len(epochs) == 1
        return Done()

    caplog.set_level("INFO")
    submitted = await workshop.submit("extract")
    async with workshop.working({"extract": work}, ledger=ledger, pace=replace(BRISK, lease_seconds=1.0)):

        async def lost() -> bool:
            return "the lease is lost" in caplog.text

        await until(lost, "the worker to give up its lease")
        ledger.cut = False
        assert (await workshop.ended(submitted)).state is RunState.COMPLETED
    assert epochs == [1, 3]


class SlowClaims(SqlLedger):
    """Claims at once, and tells the worker only when it is allowed to."""

    def __init__(self, engine: EngineUnderTest) -> None:
        super().__init__(engine.database)
        self.taken = asyncio.Event()
        self.told = asyncio.Event()

    async def claim(
        self,
        worker: str,
        *,
        limit: int,
        lease_seconds: float,
        now: datetime,
        stages: Sequence[str] | None = None,
    ) -> list[Claimed]:
        jobs = await super().claim(worker, limit=limit, lease_seconds=lease_seconds, now=now, stages=stages)
        if jobs:
            self.taken.set()
            await self.told.wait()
        return jobs


async def test_what_was_being_claimed_when_the_worker_was_asked_to_stop_is_given_back_unworked(
    workshop: Workshop,
) -> None:
    ledger = SlowClaims(workshop.engine)
    worked: list[str] = []

    async def note(context: Context) -> Outcome:
        worked.append(context.stage)
        return Done()

    submitted = await workshop.submit("extract")
    async with workshop.working({"extract": note}, ledger=ledger) as worker:
        await ledger.taken.wait()
        worker.stop()
        ledger.told.set()
    job = await workshop.job(submitted)
    assert worked == []
    assert (job.status, job.attempts, job.crashes) == (JobStatus.PENDING, 0, 0)


class SlowSettlements(SqlLedger):
    """Commits at once, and lets the worker wait for the answer longer than it is given to wind down."""

    def __init__(self, engine: EngineUnderTest) -> None:
        super().__init__(engine.database)
        self.settled = asyncio.Event()
        self.told = asyncio.Event()

    async def settle(
        self, settlements: Sequence[Settlement], now: datetime, *, lease_seconds: float = 30.0
    ) -> list[Settled | LeaseLost]:
        answers = await super().settle(settlements, now, lease_seconds=lease_seconds)
        if not self.settled.is_set():
            self.settled.set()
            await self.told.wait()
        return answers


async def test_a_lease_that_was_kept_while_the_worker_stopped_is_given_back_too(workshop: Workshop) -> None:
    """The stage was done, the next one's lease kept; cancelled now, nobody would ever work under it."""
    ledger = SlowSettlements(workshop.engine)
    worked: list[str] = []

    async def note(context: Context) -> Outcome:
        worked.append(context.stage)
        return Done()

    submitted = await workshop.submit("extract", "chunk")
    pace = replace(BRISK, grace_seconds=0.05)
    async with workshop.working({"extract": note, "chunk": note}, ledger=ledger, pace=pace) as worker:
        await ledger.settled.wait()
        worker.stop()
        asyncio.get_running_loop().call_later(0.3, ledger.told.set)
    first, second = await workshop.jobs(submitted)
    assert worked == ["extract"]
    assert first.status is JobStatus.COMPLETED
    assert (second.status, second.attempts, second.crashes) == (JobStatus.PENDING, 0, 0)
