"""Jobs that run alone: the time until their stage begins is not taken from their run."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Collection, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import cast

from towpath.clock import SystemClock
from towpath.errors import DatabaseUnavailable
from towpath.ledger.contract.settlements import Finish
from towpath.model.job import ClaimedJob, Lease
from towpath.worker.executor import Executor
from towpath.worker.isolated_executor import MAX_ALONE, POSTPONE_SECONDS, ExecutorFactory, IsolatedExecutor
from towpath.worker.settings import WorkerSettings

STAGE_SECONDS = 1.5


class _Ledger:
    """Records by how much each job postponed the deadline of its run; the first write fails."""

    def __init__(self) -> None:
        self.postponed: dict[str, float] = {}
        self.failures = 1
        self.calls = 0

    async def postpone_deadline(self, lease: Lease, seconds: float) -> None:
        self.calls += 1
        if self.failures:
            self.failures -= 1
            raise DatabaseUnavailable("The database does not answer.")
        self.postponed[lease.job_id] = self.postponed.get(lease.job_id, 0.0) + seconds

    def heartbeat(self, leases: Sequence[Lease], lease_seconds: float, now: object) -> Collection[str]:
        del lease_seconds, now
        return {lease.job_id for lease in leases}


class _ChildExecutor:
    """What a child process opens; its stage takes ``STAGE_SECONDS``."""

    def __init__(self) -> None:
        self.ledger = _Ledger()
        self.clock = SystemClock()

    def stop(self) -> None:
        pass

    async def execute(self, job: ClaimedJob, held: object, *, keep: object) -> Finish:
        del held, keep
        await asyncio.sleep(STAGE_SECONDS)
        return Finish(job.lease)


@asynccontextmanager
async def open_slowly(seconds: float) -> AsyncGenerator[Executor]:
    await asyncio.sleep(seconds)
    yield cast("Executor", _ChildExecutor())


def _suspect(number: int) -> ClaimedJob:
    lease = Lease(f"job {number}", 1, "anna", datetime.max.replace(tzinfo=UTC))
    run = f"run {number}"
    return ClaimedJob(lease, "org", "deed", run, "document", "extract", {}, {}, {}, 0, 5, 0, suspect=True)


async def test_the_time_until_a_stage_begins_postpones_the_deadline_of_its_run() -> None:
    """Also of those that wait for the others: after a kill all jobs of a worker are suspects."""
    ledger = _Ledger()
    executor = cast("Executor", SimpleNamespace(ledger=ledger, clock=SystemClock()))
    isolated = IsolatedExecutor(ExecutorFactory(open_slowly, (0.5,)), WorkerSettings())
    jobs = [_suspect(number) for number in range(2 * MAX_ALONE)]
    started = time.monotonic()
    try:
        settlements = await asyncio.gather(
            *(isolated.execute(job, executor, keep=lambda _stage: False) for job in jobs)
        )
    finally:
        isolated.close()
    elapsed = time.monotonic() - started
    assert [type(settlement) for settlement in settlements] == [Finish] * len(jobs)
    postponed = sorted(ledger.postponed.values())
    assert len(postponed) == len(jobs)
    # The later ones waited for the stages of the first ones. No job got the time of its own stage.
    assert min(postponed[-MAX_ALONE:]) >= STAGE_SECONDS
    assert max(postponed) <= elapsed - STAGE_SECONDS


async def test_a_database_that_does_not_answer_is_asked_now_and_then_and_delays_no_settlement() -> None:
    ledger = _Ledger()
    ledger.failures = 1_000_000
    executor = cast("Executor", SimpleNamespace(ledger=ledger, clock=SystemClock()))
    isolated = IsolatedExecutor(ExecutorFactory(open_slowly, (0.1,)), WorkerSettings())
    started = time.monotonic()
    try:
        settlement = await isolated.execute(_suspect(1), executor, keep=lambda _stage: False)
    finally:
        isolated.close()
    assert type(settlement) is Finish
    assert 1 <= ledger.calls <= (time.monotonic() - started) / POSTPONE_SECONDS + 2
    assert ledger.postponed == {}
