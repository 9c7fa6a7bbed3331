"""Claiming named jobs: the same conditions, leases and events as a claim in fair order."""

from __future__ import annotations

from tests.contract.ledger_driver import LEASE_SECONDS, LedgerDriver
from tests.support.factories import add_organizations, organization_id
from towpath.errors import LeaseLost
from towpath.ledger.contract.ledger import ClaimRequest
from towpath.ledger.contract.settlements import Finish
from towpath.model.event import EventKind
from towpath.model.ids import new_id
from towpath.model.job import ClaimedJob, JobStatus
from towpath.model.run import RunState


async def _claim(
    driver: LedgerDriver, *job_ids: str, worker: str = "anna", limit: int = 10
) -> list[ClaimedJob]:
    request = ClaimRequest(worker, limit, LEASE_SECONDS, job_ids=job_ids)
    return await driver.ledger.claim(request, driver.now)


async def _due_ids(driver: LedgerDriver) -> list[str]:
    return [job.id for job in await driver.ledger.due_jobs(driver.now, limit=100)]


async def test_a_named_job_is_claimed_and_its_run_starts(driver: LedgerDriver) -> None:
    run_id = await driver.submitted_run()
    await driver.submitted_run()
    job = await driver.last_job(run_id)
    (claimed,) = await _claim(driver, job.id)
    assert (claimed.lease.job_id, claimed.lease.epoch, claimed.run_id) == (job.id, 1, run_id)
    assert (await driver.run(run_id)).state is RunState.RUNNING
    kinds = [event.kind for event in await driver.events(run_id)]
    assert kinds == [EventKind.RUN_QUEUED, EventKind.RUN_STARTED, EventKind.STEP_STARTED]


async def test_jobs_are_claimed_in_the_given_order_up_to_the_limit(driver: LedgerDriver) -> None:
    for _ in range(4):
        await driver.submit()
    job_ids = (await _due_ids(driver))[::-1]
    claimed = await _claim(driver, *job_ids, limit=3)
    assert [job.lease.job_id for job in claimed] == job_ids[:3]


async def test_only_one_of_two_workers_gets_a_named_job(driver: LedgerDriver) -> None:
    await driver.submit()
    job_ids = await _due_ids(driver)
    assert len(await _claim(driver, *job_ids, worker="anna")) == 1
    assert await _claim(driver, *job_ids, worker="ben") == []


async def test_a_job_that_is_not_due_unknown_or_ended_is_not_claimed(driver: LedgerDriver) -> None:
    await driver.submit()
    waiting = await driver.claim_one()
    await driver.suspend(waiting.lease, wait=60)
    await driver.submit(stages=("extract",))
    ended = await driver.claim_one()
    await driver.finish(ended.lease)
    before = driver.contents()
    assert await _claim(driver, waiting.lease.job_id, ended.lease.job_id, new_id()) == []
    assert driver.contents() == before


async def test_no_names_claim_nothing(driver: LedgerDriver) -> None:
    await driver.submit()
    assert await _claim(driver) == []


async def test_a_run_does_not_start_while_another_run_of_the_document_is_running(
    driver: LedgerDriver,
) -> None:
    submitted = await driver.submit()
    first = await driver.claim_one()
    second_run = await driver.reprocess(submitted.document_id)
    second_job = await driver.last_job(second_run)
    driver.sql(
        "update document_processing_jobs set available_at = :now where id = :id",
        now=driver.now if driver.engine.name == "postgres" else driver.now.isoformat(),
        id=second_job.id,
    )
    assert await _claim(driver, second_job.id) == []
    assert (await driver.run(second_run)).state is RunState.QUEUED
    assert (await driver.job(first)).status is JobStatus.PROCESSING


async def test_a_late_claim_raises_the_epoch_and_the_old_lease_writes_nothing(driver: LedgerDriver) -> None:
    await driver.submit()
    lost = await driver.claim_one()
    await driver.rescue()
    (taken,) = await _claim(driver, lost.lease.job_id, worker="ben")
    assert taken.lease.epoch > lost.lease.epoch
    before = driver.contents()
    assert isinstance(await driver.try_settle(Finish(lost.lease)), LeaseLost)
    assert driver.contents() == before


async def test_due_jobs_take_turns_between_organizations_and_claim_nothing(driver: LedgerDriver) -> None:
    other = organization_id(2)
    add_organizations(driver.database, other)
    for _ in range(3):
        await driver.submit()
    await driver.submit(org_id=other)
    before = driver.contents()
    jobs = await driver.ledger.due_jobs(driver.now, limit=2)
    assert len({job.org_id for job in jobs}) == 2
    assert driver.contents() == before
