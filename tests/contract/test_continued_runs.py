"""A run that reaches its deadline after progress is continued by a new run, in one transaction."""

from __future__ import annotations

import pytest

from tests.contract.ledger_driver import LedgerDriver
from towpath.ledger.contract.provider_calls import CallAnswer, CallCached, CallRequest
from towpath.model.event import EventKind
from towpath.model.ids import DEFAULT_ORG_ID
from towpath.model.job import ClaimedJob, JobStatus
from towpath.model.run import RunReason, RunState

DEADLINE = 120.0
BATCH = CallRequest("key", "local", "reader-1")


async def _claim(driver: LedgerDriver) -> ClaimedJob:
    """Claim a job under a lease that outlasts the deadline."""
    job = await driver.claim_one()
    driver.ledger.heartbeat([job.lease], 2 * DEADLINE, driver.now)
    return job


async def _answer_call(driver: LedgerDriver, job: ClaimedJob, key: str) -> None:
    request = CallRequest(key, BATCH.provider, BATCH.model)
    await driver.ledger.begin_call(job.lease, request, driver.now)
    await driver.ledger.save_answer(job.lease, key, CallAnswer({"pages": 4}), driver.now)


async def _pass_deadline(driver: LedgerDriver) -> tuple[int, int]:
    """Sweep after the deadline; how many runs timed out, and how many of them are continued."""
    driver.clock.advance(DEADLINE + 1)
    swept = await driver.ledger.sweep(driver.now)
    return swept.timed_out, swept.continued


async def test_an_answered_call_is_progress(driver: LedgerDriver) -> None:
    submitted = await driver.submit(deadline_seconds=DEADLINE, continue_after_timeout=True)
    job = await _claim(driver)
    await _answer_call(driver, job, "pages 1-4")

    assert await _pass_deadline(driver) == (1, 1)

    first, second = await driver.runs(submitted.document_id)
    assert (first.state, first.error, first.reason) == (RunState.TIMED_OUT, None, RunReason.SUBMITTED)
    assert (second.state, second.resumes_run_id) == (RunState.QUEUED, first.id)
    assert second.reason is RunReason.CONTINUED
    assert driver.document_status(submitted.document_id) == "PROCESSING"
    ended = (await driver.events(first.id))[-1]
    assert (ended.kind, ended.detail) == (EventKind.RUN_TIMED_OUT, {"continued": True})
    queued = (await driver.events(second.id))[0]
    assert (queued.kind, queued.detail["reason"]) == (EventKind.RUN_QUEUED, "continued")

    # The new run has the same deadline, and finds the answer.
    next_job = await _claim(driver)
    assert (next_job.run_id, next_job.stage, next_job.attempts, next_job.crashes) == (
        second.id,
        job.stage,
        0,
        0,
    )
    assert (await driver.run(second.id)).deadline_at == driver.later(DEADLINE)
    call = await driver.ledger.begin_call(
        next_job.lease, CallRequest("pages 1-4", "local", "reader-1"), driver.now
    )
    assert isinstance(call, CallCached)


async def test_a_completed_stage_is_progress_and_is_reused(driver: LedgerDriver) -> None:
    submitted = await driver.submit(deadline_seconds=DEADLINE, continue_after_timeout=True)
    job = await _claim(driver)
    await driver.advance(job.lease, "chunk", result={"markdown": "key"})

    assert await _pass_deadline(driver) == (1, 1)

    second = (await driver.runs(submitted.document_id))[-1]
    reused, due = await driver.jobs(second.id)
    assert (reused.status, reused.result) == (JobStatus.COMPLETED, {"markdown": "key"})
    assert (due.stage, due.status) == ("chunk", JobStatus.PENDING)


async def test_a_continuing_run_without_progress_is_the_last_one(driver: LedgerDriver) -> None:
    """Reused stages and cached answers are no progress: otherwise a stage that is too slow would run forever."""
    submitted = await driver.submit(deadline_seconds=DEADLINE, continue_after_timeout=True)
    job = await _claim(driver)
    await driver.advance(job.lease, "chunk")
    assert await _pass_deadline(driver) == (1, 1)
    await _claim(driver)

    assert await _pass_deadline(driver) == (1, 0)

    assert await driver.states(submitted.document_id) == ["TIMED_OUT", "TIMED_OUT"]
    assert driver.document_status(submitted.document_id) == "TIMED_OUT"
    assert (await driver.runs(submitted.document_id))[-1].error is not None


async def test_every_run_with_progress_is_continued(driver: LedgerDriver) -> None:
    submitted = await driver.submit(deadline_seconds=DEADLINE, continue_after_timeout=True)
    for number in range(5):
        await _answer_call(driver, await _claim(driver), f"batch {number}")
        assert await _pass_deadline(driver) == (1, 1)
    await driver.finish((await _claim(driver)).lease)

    assert await driver.states(submitted.document_id) == ["TIMED_OUT"] * 5 + ["COMPLETED"]
    assert driver.document_status(submitted.document_id) == "COMPLETED"


@pytest.mark.parametrize(("setting", "progress"), [(False, True), (True, False)])
async def test_without_the_setting_or_without_progress_the_run_times_out(
    driver: LedgerDriver, setting: bool, progress: bool
) -> None:
    submitted = await driver.submit(deadline_seconds=DEADLINE, continue_after_timeout=setting)
    job = await _claim(driver)
    if progress:
        await _answer_call(driver, job, "pages 1-4")

    assert await _pass_deadline(driver) == (1, 0)

    assert await driver.states(submitted.document_id) == ["TIMED_OUT"]
    assert driver.document_status(submitted.document_id) == "TIMED_OUT"


async def test_a_run_that_a_person_queued_continues_instead(driver: LedgerDriver) -> None:
    submitted = await driver.submit(deadline_seconds=DEADLINE, continue_after_timeout=True)
    await _answer_call(driver, await _claim(driver), "pages 1-4")
    other = await driver.reprocess(submitted.document_id)

    assert await _pass_deadline(driver) == (1, 1)

    assert [run.id for run in await driver.runs(submitted.document_id)][1:] == [other]
    assert driver.document_status(submitted.document_id) == "PROCESSING"
    assert (await _claim(driver)).run_id == other


async def test_the_reason_of_each_run_is_stored(driver: LedgerDriver) -> None:
    submitted = await driver.submit()
    job = await _claim(driver)
    await driver.fail(job.lease, final=True)
    await driver.ledger.retry(job.lease.job_id, driver.now, org_id=DEFAULT_ORG_ID)
    await driver.finish((await _claim(driver)).lease)
    await driver.reprocess(submitted.document_id)
    await _claim(driver)
    await driver.ledger.recover(driver.now)

    reasons = [run.reason for run in await driver.runs(submitted.document_id)]
    assert reasons == ["submitted", "retried", "reprocessed", "resumed"]
