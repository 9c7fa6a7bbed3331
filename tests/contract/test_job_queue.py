"""The contract of JobQueue, on `database` with SQLite, `database` with Postgres, and `bullmq` with a real Redis."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator, AsyncIterator, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.contract.ledger_driver import LEASE_SECONDS, LedgerDriver
from tests.support.databases import EngineUnderTest, empty, postgres_engine, sqlite_engine
from tests.support.factories import add_organizations, organization_id
from tests.support.redis_server import RedisServer
from tests.support.timeouts import async_wait_until
from towpath.errors import LeaseLost
from towpath.job_queue.acknowledge import acknowledge
from towpath.job_queue.bullmq import BullMqQueue
from towpath.job_queue.bullmq_client import BullMqClient
from towpath.job_queue.contract import JobQueue
from towpath.job_queue.database import DatabaseQueue
from towpath.ledger.contract.ledger import ClaimRequest
from towpath.ledger.contract.settlements import Advance, Fail, Finish, Release, Settled, Settlement, Suspended
from towpath.model.job import ClaimedJob, JobStatus, WaitingReason
from towpath.notify.in_process import InProcessNotifier

STAGES = ("extract", "chunk", "embed", "connect")
#: Longer than all that a queue needs to deliver what is due, and to find that nothing is.
QUIET_SECONDS = 1.5


@dataclass
class QueueUnderTest:
    """Queues of several workers over one ledger."""

    driver: LedgerDriver
    redis: RedisServer | None

    @contextlib.asynccontextmanager
    async def open(self) -> AsyncGenerator[JobQueue]:
        notifier = InProcessNotifier()
        await notifier.open()
        ledger = self.driver.engine.open()
        queue: JobQueue
        if self.redis is None:
            queue = DatabaseQueue(ledger, notifier)
        else:
            client = BullMqClient(self.redis.url, STAGES, lock_seconds=0.5)
            queue = BullMqQueue(
                client, ledger, notifier, self.driver.clock, STAGES, lease_seconds=LEASE_SECONDS, window=16
            )
        running = asyncio.create_task(queue.run())
        try:
            yield queue
        finally:
            running.cancel()
            await asyncio.wait({running})
            await notifier.close()

    async def claim(self, queue: JobQueue, *, worker: str = "anna", limit: int = 10) -> list[ClaimedJob]:
        """Claim until a job is delivered."""

        async def delivered() -> list[ClaimedJob]:
            jobs = await self.try_claim(queue, worker=worker, limit=limit)
            if not jobs:
                await queue.wait(0.05)
            return jobs

        return await async_wait_until(delivered, "a job to be delivered")

    async def try_claim(
        self, queue: JobQueue, *, worker: str = "anna", limit: int = 10, stages: tuple[str, ...] | None = None
    ) -> list[ClaimedJob]:
        return await queue.claim(ClaimRequest(worker, limit, LEASE_SECONDS, stages), self.driver.now)

    async def assert_nothing_is_delivered(self, queue: JobQueue) -> None:
        queue.enqueue()
        deadline = asyncio.get_running_loop().time() + QUIET_SECONDS
        while asyncio.get_running_loop().time() < deadline:
            assert await self.try_claim(queue) == []
            await queue.wait(0.1)

    async def settle(self, queue: JobQueue, settlement: Settlement) -> Settled | LeaseLost:
        """Settle in the ledger and tell the queue, as the worker does."""
        answer = await self.driver.try_settle(settlement)
        acknowledge(queue, settlement.lease, settlement, self.driver.now)
        return answer


@pytest.fixture(params=["database-sqlite", "database-postgres", "bullmq"])
def engine(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[EngineUnderTest]:
    if request.param == "database-sqlite":
        template: Path = request.getfixturevalue("migrated_sqlite_file")
        with sqlite_engine(tmp_path / "ledger.db", template) as ready:
            yield ready
    else:
        with postgres_engine(request.getfixturevalue("_common_database")) as ready:
            empty(ready.database)
            yield ready


@pytest.fixture
def queues(request: pytest.FixtureRequest, driver: LedgerDriver) -> QueueUnderTest:
    if "bullmq" not in request.node.callspec.id:
        return QueueUnderTest(driver, None)
    redis: RedisServer = request.getfixturevalue("redis_server")
    redis.flush()
    return QueueUnderTest(driver, redis)


@pytest.fixture
async def queue(queues: QueueUnderTest) -> AsyncIterator[JobQueue]:
    async with queues.open() as opened:
        yield opened


async def test_a_job_is_delivered_once(queues: QueueUnderTest, queue: JobQueue, driver: LedgerDriver) -> None:
    run_id = await driver.submitted_run()
    queue.enqueue()
    (job,) = await queues.claim(queue)
    assert (job.run_id, job.stage, job.lease.epoch) == (run_id, "extract", 1)
    await queues.assert_nothing_is_delivered(queue)


async def test_two_workers_share_the_jobs_and_none_is_delivered_twice(
    queues: QueueUnderTest, queue: JobQueue, driver: LedgerDriver
) -> None:
    runs = {await driver.submitted_run() for _ in range(40)}
    async with queues.open() as other:
        queue.enqueue()
        claimed: list[str] = []

        async def all_claimed() -> bool:
            for worker, source in (("anna", queue), ("ben", other)):
                claimed.extend(job.run_id for job in await queues.try_claim(source, worker=worker, limit=4))
            await queue.wait(0.02)
            return len(claimed) >= len(runs)

        await async_wait_until(all_claimed, "all jobs to be claimed")
        assert sorted(claimed) == sorted(runs)
        await queues.assert_nothing_is_delivered(other)


async def test_a_completed_job_is_not_delivered_again_and_its_next_stage_is(
    queues: QueueUnderTest, queue: JobQueue, driver: LedgerDriver
) -> None:
    await driver.submit()
    queue.enqueue()
    (job,) = await queues.claim(queue)
    await queues.settle(queue, Advance(job.lease, "chunk", 5, keep=False))
    queue.enqueue()
    (following,) = await queues.claim(queue)
    assert following.stage == "chunk"
    await queues.settle(queue, Finish(following.lease))
    await queues.assert_nothing_is_delivered(queue)


async def test_a_failed_job_is_delivered_after_its_delay(
    queues: QueueUnderTest, queue: JobQueue, driver: LedgerDriver
) -> None:
    await driver.submit()
    queue.enqueue()
    (job,) = await queues.claim(queue)
    await queues.settle(queue, Fail(job.lease, "it broke", driver.later(30)))
    await queues.assert_nothing_is_delivered(queue)
    driver.clock.advance(31)
    (again,) = await queues.claim(queue)
    assert (again.lease.job_id, again.attempts, again.lease.epoch) == (job.lease.job_id, 1, 2)


async def test_a_suspended_job_that_becomes_due_early_is_delivered_early(
    queues: QueueUnderTest, queue: JobQueue, driver: LedgerDriver
) -> None:
    await driver.submit()
    queue.enqueue()
    (job,) = await queues.claim(queue)
    until = driver.later(3600)
    await driver.ledger.throttle_provider(
        "openai", until, WaitingReason.PROVIDER_THROTTLED, "slow down", driver.now
    )
    await queues.settle(queue, Suspended(job.lease, until, WaitingReason.PROVIDER_THROTTLED, "openai"))
    await driver.ledger.resume_provider("openai", driver.now, due=driver.now)
    queue.enqueue()
    (again,) = await queues.claim(queue)
    assert (again.lease.job_id, again.attempts) == (job.lease.job_id, 0)


async def test_a_released_job_is_delivered_at_once(
    queues: QueueUnderTest, queue: JobQueue, driver: LedgerDriver
) -> None:
    await driver.submit()
    queue.enqueue()
    (job,) = await queues.claim(queue)
    await queues.settle(queue, Release(job.lease))
    (again,) = await queues.claim(queue, worker="ben")
    assert again.lease.job_id == job.lease.job_id


async def test_the_job_of_a_lost_worker_is_delivered_and_the_late_worker_changes_nothing(
    queues: QueueUnderTest, queue: JobQueue, driver: LedgerDriver
) -> None:
    await driver.submit()
    queue.enqueue()
    (lost,) = await queues.claim(queue)
    await driver.rescue()
    async with queues.open() as other:
        other.enqueue()
        (taken,) = await queues.claim(other, worker="ben")
        before = driver.contents()
        assert isinstance(await queues.settle(queue, Finish(lost.lease)), LeaseLost)
        assert driver.contents() == before
        assert isinstance(await queues.settle(other, Finish(taken.lease)), Settled)


async def test_an_extended_job_is_not_delivered_to_another_worker(
    queues: QueueUnderTest, queue: JobQueue, driver: LedgerDriver
) -> None:
    await driver.submit()
    queue.enqueue()
    (job,) = await queues.claim(queue)
    driver.ledger.heartbeat([job.lease], LEASE_SECONDS, driver.now)
    await asyncio.to_thread(queue.extend, [job.lease])
    async with queues.open() as other:
        await queues.assert_nothing_is_delivered(other)
    assert (await driver.job(job)).status is JobStatus.PROCESSING


async def test_only_jobs_of_the_requested_stages_are_delivered(
    queues: QueueUnderTest, queue: JobQueue, driver: LedgerDriver
) -> None:
    await driver.submit()
    queue.enqueue()
    for _ in range(5):
        assert await queues.try_claim(queue, stages=("chunk", "embed")) == []
        await queue.wait(0.05)
    (job,) = await queues.claim(queue)
    assert job.stage == "extract"


async def test_a_cancelled_run_is_not_delivered(
    queues: QueueUnderTest, queue: JobQueue, driver: LedgerDriver
) -> None:
    run_id = await driver.submitted_run()
    queue.enqueue()
    await asyncio.sleep(0.3)
    run = await driver.run(run_id)
    await driver.ledger.cancel(run_id, driver.now, org_id=run.org_id)
    await queues.assert_nothing_is_delivered(queue)


async def test_a_small_organization_is_served_during_a_flood_of_another(
    queues: QueueUnderTest, queue: JobQueue, driver: LedgerDriver
) -> None:
    flooded, small = organization_id(1), organization_id(2)
    add_organizations(driver.database, flooded, small)
    for _ in range(100):
        await driver.submit(org_id=flooded)
    queue.enqueue()
    await queues.claim(queue, limit=2)
    await driver.submit(org_id=small)
    queue.enqueue()
    served: list[str] = []

    async def small_is_served() -> bool:
        served.extend(job.org_id for job in await queues.try_claim(queue, limit=2))
        await queue.wait(0.02)
        return small in served

    await async_wait_until(small_is_served, "the small organization to be served")
    # The window of 16 offers and two claims.
    assert served.index(small) <= 20
