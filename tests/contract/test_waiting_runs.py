"""Waiting runs: the end of a run makes the next run of the document due, in order."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import pytest

from tests.contract.ledger_driver import LedgerDriver
from tests.support.factories import a_plan
from towpath.model.ids import DEFAULT_ORG_ID
from towpath.model.job import ClaimedJob
from towpath.model.run import RunState

DEADLINE = 100.0


async def _finishes(driver: LedgerDriver, job: ClaimedJob) -> None:
    await driver.finish(job.lease)


async def _fails_permanently(driver: LedgerDriver, job: ClaimedJob) -> None:
    await driver.fail(job.lease, final=True)


async def _is_cancelled(driver: LedgerDriver, job: ClaimedJob) -> None:
    await driver.ledger.cancel(job.run_id, driver.now, org_id=DEFAULT_ORG_ID)


async def _times_out(driver: LedgerDriver, job: ClaimedJob) -> None:
    driver.clock.advance(DEADLINE + 1)
    driver.ledger.heartbeat([job.lease], 30, driver.now)
    await driver.ledger.sweep(driver.now)


async def _is_quarantined(driver: LedgerDriver, job: ClaimedJob) -> None:
    await driver.crash(job.lease, max_crashes=1)


async def _is_recovered(driver: LedgerDriver, _job: ClaimedJob) -> None:
    await driver.ledger.recover(driver.now, resume_runs=False)


ENDS = [_finishes, _fails_permanently, _is_cancelled, _times_out, _is_quarantined, _is_recovered]
End = Callable[[LedgerDriver, ClaimedJob], Awaitable[None]]


@pytest.mark.parametrize("end", ENDS, ids=lambda end: end.__name__.strip("_"))
async def test_waiting_runs_start_in_order(driver: LedgerDriver, end: End) -> None:
    # Given one running run and two behind it
    plan = a_plan(("extract",), deadline_seconds=DEADLINE)
    submitted = await driver.submit(plan=plan)
    running = await driver.claim_one()
    second = await driver.reprocess(submitted.document_id, plan)
    third = await driver.reprocess(submitted.document_id, plan)

    for following in (second, third):
        # When the running one ends
        await end(driver, running)
        # Then the next, and only the next, can be claimed at once
        claimed = await driver.claim()
        assert [job.run_id for job in claimed] == [following]
        assert driver.document_status(submitted.document_id) == "PROCESSING"
        running = claimed[0]

    # And when the last one ends no job is left to claim
    await end(driver, running)
    assert await driver.claim() == []


@pytest.mark.parametrize("end", ENDS, ids=lambda end: end.__name__.strip("_"))
async def test_the_document_status_is_that_of_its_last_run(driver: LedgerDriver, end: End) -> None:
    submitted = await driver.submit(deadline_seconds=DEADLINE)
    job = await driver.claim_one()
    await end(driver, job)
    run = await driver.run(job.run_id)
    assert driver.document_status(submitted.document_id) == run.state


async def test_cancelling_a_waiting_run_does_not_start_the_next_one(
    driver: LedgerDriver,
) -> None:
    # Given A running, B and C waiting
    submitted = await driver.submit()
    running = await driver.claim_one()
    second = await driver.reprocess(submitted.document_id)
    third = await driver.reprocess(submitted.document_id)
    # When B is cancelled
    await driver.ledger.cancel(second, driver.now, org_id=DEFAULT_ORG_ID)
    # Then C is not due before A ends: a due job that may not start would block the claims of others
    other = await driver.submit()
    assert [job.run_id for job in await driver.claim("boris", limit=1)] == [other.run_id]
    assert (await driver.last_job(third)).available_at > driver.later(1_000_000)
    # And the document is still being processed, by A
    assert driver.document_status(submitted.document_id) == "PROCESSING"
    # And when A ends, C follows
    await driver.finish(running.lease)
    assert [job.run_id for job in await driver.claim()] == [third]


async def test_cancelling_the_only_waiting_run_keeps_the_document_processing(
    driver: LedgerDriver,
) -> None:
    submitted = await driver.submit()
    await driver.claim_one()
    second = await driver.reprocess(submitted.document_id)
    await driver.ledger.cancel(second, driver.now, org_id=DEFAULT_ORG_ID)

    assert (await driver.run(second)).state is RunState.CANCELLED
    assert driver.document_status(submitted.document_id) == "PROCESSING"


async def test_cancelling_an_unstarted_first_run_makes_the_next_one_due(
    driver: LedgerDriver,
) -> None:
    submitted = await driver.submit()
    second = await driver.reprocess(submitted.document_id)
    assert submitted.run_id is not None
    await driver.ledger.cancel(submitted.run_id, driver.now, org_id=DEFAULT_ORG_ID)

    assert [job.run_id for job in await driver.claim()] == [second]


async def test_retry_does_not_start_a_waiting_run(driver: LedgerDriver) -> None:
    submitted = await driver.submit()
    await driver.claim_one()
    second = await driver.reprocess(submitted.document_id)
    job = await driver.last_job(second)

    assert await driver.ledger.retry(job.id, driver.now, org_id=DEFAULT_ORG_ID) == second
    assert await driver.claim("boris") == []
    assert (await driver.last_job(second)).waiting_run_id == job.waiting_run_id == submitted.run_id


async def test_suspending_a_stage_wakes_no_waiting_run(
    driver: LedgerDriver,
) -> None:
    submitted = await driver.submit()
    job = await driver.claim_one()
    await driver.reprocess(submitted.document_id)
    await driver.suspend(job.lease, wait=60)
    assert await driver.claim() == []
    driver.clock.advance(61)
    assert [again.run_id for again in await driver.claim()] == [submitted.run_id]
