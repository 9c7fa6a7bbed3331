"""I1: at most one run of a document is RUNNING, enforced by a unique index."""

from __future__ import annotations

import pytest
from sqlalchemy.exc import IntegrityError

from tests.contract.ledger_driver import LedgerDriver
from tests.support.factories import a_plan
from towpath.model.ids import DEFAULT_ORG_ID
from towpath.model.job import JobStatus, WaitingReason
from towpath.model.run import RunState


async def test_runs_queued_behind_a_running_run_wait(driver: LedgerDriver) -> None:
    submitted = await driver.submit()
    await driver.claim_one()
    await driver.reprocess(submitted.document_id)
    await driver.reprocess(submitted.document_id)

    assert await driver.states(submitted.document_id) == ["RUNNING", "QUEUED", "QUEUED"]
    assert await driver.claim("boris") == []


async def test_a_waiting_run_stores_the_run_it_waits_for(driver: LedgerDriver) -> None:
    submitted = await driver.submit()
    second = await driver.reprocess(submitted.document_id)
    third = await driver.reprocess(submitted.document_id)

    for run_id, earlier in ((second, submitted.run_id), (third, second)):
        job = await driver.last_job(run_id)
        assert (job.waiting_reason, job.waiting_run_id) == (WaitingReason.EARLIER_RUN, earlier)
        assert job.waiting_until is None


async def test_the_unique_index_refuses_a_second_running_run(
    driver: LedgerDriver,
) -> None:
    submitted = await driver.submit()
    await driver.claim_one()
    second = await driver.reprocess(submitted.document_id)

    with pytest.raises(IntegrityError):
        driver.sql("update processing_runs set state = 'RUNNING' where id = :run", run=second)
    assert await driver.states(submitted.document_id) == ["RUNNING", "QUEUED"]


async def test_a_waiting_run_that_sql_made_due_is_not_started(
    driver: LedgerDriver,
) -> None:
    submitted = await driver.submit()
    await driver.claim_one()
    second = await driver.reprocess(submitted.document_id)
    driver.sql(
        "update document_processing_jobs set available_at = created_at where run_id = :run", run=second
    )

    assert await driver.claim("boris") == []
    assert (await driver.last_job(second)).status is JobStatus.PENDING
    assert await driver.states(submitted.document_id) == ["RUNNING", "QUEUED"]


async def test_of_two_due_queued_runs_only_the_oldest_starts(
    driver: LedgerDriver,
) -> None:
    submitted = await driver.submit()
    second = await driver.reprocess(submitted.document_id)
    driver.sql(
        "update document_processing_jobs set available_at = created_at where run_id = :run", run=second
    )

    claimed = await driver.claim()
    assert [job.run_id for job in claimed] == [submitted.run_id]
    assert await driver.states(submitted.document_id) == ["RUNNING", "QUEUED"]


async def test_two_documents_can_have_a_running_run_each(driver: LedgerDriver) -> None:
    first, second = await driver.submit(), await driver.submit()

    claimed = await driver.claim()
    assert {job.document_id for job in claimed} == {first.document_id, second.document_id}
    for document in (first, second):
        assert await driver.states(document.document_id) == ["RUNNING"]


async def test_a_run_queued_with_an_earlier_clock_waits_for_the_running_run(
    driver: LedgerDriver,
) -> None:
    # Given a run queued by a server whose clock is ahead
    submitted = await driver.submit()
    # When another server, a minute behind, queues the next one
    driver.clock.advance(-60)
    second = await driver.reprocess(submitted.document_id)
    # Then the runs keep their order of creation, and both are executed
    assert [run.id for run in await driver.runs(submitted.document_id)] == [submitted.run_id, second]
    driver.clock.advance(60)
    first_job = await driver.claim_one()
    assert first_job.run_id == submitted.run_id
    await driver.finish(first_job.lease)
    assert (await driver.claim_one()).run_id == second


async def test_start_and_end_of_a_run_are_stored_with_their_times(driver: LedgerDriver) -> None:
    submitted = await driver.submit(plan=a_plan(("extract",)))
    driver.clock.advance(5)
    job = await driver.claim_one()
    run = await driver.run(job.run_id)
    assert (run.state, run.started_at, run.ended_at) == (RunState.RUNNING, driver.now, None)
    driver.clock.advance(5)
    await driver.finish(job.lease)
    run = await driver.ledger.run(job.run_id, org_id=DEFAULT_ORG_ID)
    assert (run.state, run.ended_at) == (RunState.COMPLETED, driver.now)
    assert driver.document_status(submitted.document_id) == "COMPLETED"
