"""retry, retry_many and reprocess: new runs reuse completed stages and keep all options."""

from __future__ import annotations

import pytest

from tests.contract.ledger_driver import LedgerDriver
from tests.support.factories import a_plan
from towpath.ledger.contract.settlements import Fail
from towpath.model.ids import DEFAULT_ORG_ID
from towpath.model.job import ClaimedJob, JobStatus
from towpath.model.run import RunState


async def _failed_in_publish(
    driver: LedgerDriver, content: str | None = None, error: str = "it broke"
) -> ClaimedJob:
    """Submit a run whose first two stages are completed and whose third has failed permanently."""
    await driver.submit(
        content, plan=a_plan(options={"language": "de"}, payload={"a": 1}, deadline_seconds=600)
    )
    job = await driver.claim_one()
    await driver.advance(job.lease, "chunk", result={"pages": 3}, keep=False)
    job = await driver.claim_one()
    await driver.advance(job.lease, "publish", result={"chunks": 9}, next_payload={"size": 5}, keep=False)
    job = await driver.claim_one()
    await driver.settle(Fail(job.lease, error, driver.now, final=True))
    driver.clock.advance(1)
    return job


async def test_retry_of_a_failed_job_queues_a_run_that_resumes_at_its_stage(
    driver: LedgerDriver,
) -> None:
    failed = await _failed_in_publish(driver)
    before = await driver.jobs(failed.run_id)
    new = await driver.ledger.retry(failed.lease.job_id, driver.now, org_id=DEFAULT_ORG_ID)

    # Then the failed run is unchanged
    assert await driver.jobs(failed.run_id) == before
    assert (await driver.run(failed.run_id)).state is RunState.FAILED
    # And the new run has options, deadline, checkpoints and a fresh count of attempts
    run = await driver.run(new)
    assert (run.resumes_run_id, run.options) == (failed.run_id, {"language": "de"})
    job = await driver.claim_one()
    assert (job.run_id, job.stage, job.payload) == (new, "publish", {"size": 5})
    assert (job.attempts, job.crashes) == (0, 0)
    assert job.results == {"extract": {"pages": 3}, "chunk": {"chunks": 9}}
    assert (await driver.run(new)).deadline_at == driver.later(600)
    assert driver.document_status(failed.document_id) == "PROCESSING"


async def test_retrying_a_failed_job_twice_queues_one_run(driver: LedgerDriver) -> None:
    failed = await _failed_in_publish(driver)
    first = await driver.ledger.retry(failed.lease.job_id, driver.now, org_id=DEFAULT_ORG_ID)
    second = await driver.ledger.retry(failed.lease.job_id, driver.now, org_id=DEFAULT_ORG_ID)

    assert first == second
    assert await driver.states(failed.document_id) == ["FAILED", "QUEUED"]


async def test_a_failed_retry_can_be_retried_again(
    driver: LedgerDriver,
) -> None:
    failed = await _failed_in_publish(driver)
    await driver.ledger.retry(failed.lease.job_id, driver.now, org_id=DEFAULT_ORG_ID)
    await driver.fail((await driver.claim_one()).lease, final=True)
    driver.clock.advance(1)
    third = await driver.ledger.retry(failed.lease.job_id, driver.now, org_id=DEFAULT_ORG_ID)
    assert (await driver.claim_one()).run_id == third
    assert await driver.states(failed.document_id) == ["FAILED", "FAILED", "RUNNING"]


async def test_retry_makes_a_waiting_job_due(driver: LedgerDriver) -> None:
    await driver.submit()
    job = await driver.claim_one()
    await driver.fail(job.lease, wait=3600)
    assert await driver.ledger.retry(job.lease.job_id, driver.now, org_id=DEFAULT_ORG_ID) == job.run_id
    again = await driver.claim_one()
    assert (again.lease.job_id, again.attempts) == (job.lease.job_id, 1)


async def test_retry_of_a_failed_follow_up_queues_only_the_follow_up(
    driver: LedgerDriver,
) -> None:
    submitted = await driver.submit()
    await driver.finish((await driver.claim_one()).lease, follow_ups=("connect",))
    follow_up = await driver.claim_one()
    await driver.fail(follow_up.lease, final=True)
    assert (
        await driver.ledger.retry(follow_up.lease.job_id, driver.now, org_id=DEFAULT_ORG_ID)
        == submitted.run_id
    )

    assert await driver.states(submitted.document_id) == ["COMPLETED"]
    again = await driver.claim_one()
    assert (again.stage, again.follow_up, again.attempts) == ("connect", True, 0)


async def test_retry_many_can_select_by_stage(driver: LedgerDriver) -> None:
    failed_in_third_stage = await _failed_in_publish(driver)
    await driver.submit()
    failed_in_first_stage = await driver.claim_one()
    await driver.fail(failed_in_first_stage.lease, final=True)
    driver.clock.advance(1)

    (new,) = await driver.ledger.retry_many(driver.now, org_id=DEFAULT_ORG_ID, stage="publish")
    assert (await driver.run(new)).resumes_run_id == failed_in_third_stage.run_id


async def test_retry_many_can_select_by_error(driver: LedgerDriver) -> None:
    throttled = await _failed_in_publish(driver, error="quota of 100% is used up")
    await _failed_in_publish(driver, error="quota of 100 is used up")

    (new,) = await driver.ledger.retry_many(driver.now, org_id=DEFAULT_ORG_ID, error="100%")
    assert (await driver.run(new)).resumes_run_id == throttled.run_id


async def test_an_empty_error_selects_no_job(driver: LedgerDriver) -> None:
    await _failed_in_publish(driver)

    assert await driver.ledger.retry_many(driver.now, org_id=DEFAULT_ORG_ID, error="") == []


async def test_retry_many_can_select_by_job_id(driver: LedgerDriver) -> None:
    selected = await _failed_in_publish(driver)
    await _failed_in_publish(driver)

    job_ids = [selected.lease.job_id, "not an id"]
    (new,) = await driver.ledger.retry_many(driver.now, org_id=DEFAULT_ORG_ID, job_ids=job_ids)
    assert (await driver.run(new)).resumes_run_id == selected.run_id


async def test_retry_many_retries_each_job_once_oldest_first(
    driver: LedgerDriver,
) -> None:
    failed = [await _failed_in_publish(driver) for _ in range(3)]
    queued = await driver.ledger.retry_many(driver.now, org_id=DEFAULT_ORG_ID, limit=2)
    assert [(await driver.run(run)).resumes_run_id for run in queued] == [job.run_id for job in failed[:2]]
    # A retried job has a newer run and is not retried again
    (last,) = await driver.ledger.retry_many(driver.now, org_id=DEFAULT_ORG_ID)
    assert (await driver.run(last)).resumes_run_id == failed[2].run_id
    assert await driver.ledger.retry_many(driver.now, org_id=DEFAULT_ORG_ID) == []


async def test_retry_many_skips_documents_that_succeeded_later(
    driver: LedgerDriver,
) -> None:
    failed = await _failed_in_publish(driver)
    await driver.ledger.retry(failed.lease.job_id, driver.now, org_id=DEFAULT_ORG_ID)
    await driver.finish((await driver.claim_one()).lease)
    assert await driver.ledger.retry_many(driver.now, org_id=DEFAULT_ORG_ID) == []


async def test_retry_many_queues_a_failed_follow_up_once(
    driver: LedgerDriver,
) -> None:
    await driver.submit()
    await driver.finish((await driver.claim_one()).lease, follow_ups=("connect",))
    follow_up = await driver.claim_one()
    await driver.fail(follow_up.lease, final=True)
    for _ in range(3):
        await driver.ledger.retry_many(driver.now, org_id=DEFAULT_ORG_ID)
        await driver.ledger.retry(follow_up.lease.job_id, driver.now, org_id=DEFAULT_ORG_ID)
    assert len(await driver.claim()) == 1


async def test_reprocess_runs_every_stage_again(
    driver: LedgerDriver,
) -> None:
    submitted = await driver.submit()
    job = await driver.claim_one()
    await driver.advance(job.lease, "chunk", result={"pages": 3}, keep=False)
    await driver.finish((await driver.claim_one()).lease)
    new = await driver.reprocess(submitted.document_id, a_plan(options={"language": "fr"}))

    assert await driver.states(submitted.document_id) == ["COMPLETED", "QUEUED"]
    job = await driver.claim_one()
    assert (job.run_id, job.stage, job.results, job.options) == (new, "extract", {}, {"language": "fr"})
    assert (await driver.run(new)).resumes_run_id is None


async def test_reprocess_from_a_stage_reuses_the_stages_before(
    driver: LedgerDriver,
) -> None:
    submitted = await driver.submit()
    job = await driver.claim_one()
    await driver.advance(job.lease, "chunk", result={"pages": 3}, keep=False)
    second = await driver.claim_one()
    await driver.advance(second.lease, "publish", result={"chunks": 9}, keep=False)
    await driver.finish((await driver.claim_one()).lease)

    new = await driver.reprocess(submitted.document_id, from_stage="chunk")
    again = await driver.claim_one()
    assert (again.stage, again.results) == ("chunk", {"extract": {"pages": 3}})
    assert (await driver.run(new)).resumes_run_id == submitted.run_id
    assert (await driver.jobs(new))[0].reused_from == job.lease.job_id


async def test_reprocess_with_fresh_reuses_nothing(
    driver: LedgerDriver,
) -> None:
    submitted = await driver.submit()
    job = await driver.claim_one()
    await driver.advance(job.lease, "chunk", result={"pages": 3}, keep=False)
    await driver.finish((await driver.claim_one()).lease)
    await driver.reprocess(submitted.document_id, from_stage="chunk", fresh=True)
    again = await driver.claim_one()
    assert (again.stage, again.results) == ("extract", {})


async def test_reprocess_from_a_stage_that_no_run_reached_starts_at_the_first(
    driver: LedgerDriver,
) -> None:
    submitted = await driver.submit()
    await driver.fail((await driver.claim_one()).lease, final=True)
    await driver.reprocess(submitted.document_id, from_stage="publish")
    assert (await driver.claim_one()).stage == "extract"


@pytest.mark.parametrize("state", ["completed", "processing", "cancelled"])
async def test_retry_many_skips_jobs_that_cannot_be_retried(driver: LedgerDriver, state: str) -> None:
    await driver.submit()
    job = await driver.claim_one()
    if state == "completed":
        await driver.finish(job.lease)
    elif state == "cancelled":
        await driver.ledger.cancel(job.run_id, driver.now, org_id=DEFAULT_ORG_ID)
    assert await driver.ledger.retry_many(driver.now, org_id=DEFAULT_ORG_ID) == []
    assert (await driver.job(job)).status is not JobStatus.PENDING
