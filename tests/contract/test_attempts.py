"""I8: only errors use attempts, only crashes of a job that runs alone count as crashes, a dead worker uses neither."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from tests.contract.ledger_driver import LedgerDriver
from towpath.ledger.contract.settlements import Fail, Suspended
from towpath.model.ids import DEFAULT_ORG_ID
from towpath.model.job import JobStatus, Progress, ProgressUnit, WaitingReason
from towpath.model.run import FailureType, RunState


async def test_a_failed_attempt_is_retried_with_one_more_attempt_counted(
    driver: LedgerDriver,
) -> None:
    await driver.submit(max_attempts=3)
    job = await driver.claim_one()
    await driver.settle(Fail(job.lease, "the parser said no", driver.later(45)))

    waiting = await driver.job(job)
    assert (waiting.status, waiting.attempts, waiting.crashes) == (JobStatus.PENDING, 1, 0)
    assert waiting.available_at == driver.later(45)
    assert waiting.error_log is not None
    assert "the parser said no" in waiting.error_log
    assert await driver.claim() == []
    driver.clock.advance(44.999)
    assert await driver.claim() == []
    driver.clock.advance(0.001)
    assert (await driver.claim_one()).attempts == 1


async def test_a_failure_of_the_last_attempt_fails_job_run_and_document(
    driver: LedgerDriver,
) -> None:
    submitted = await driver.submit(max_attempts=2)
    await driver.fail((await driver.claim_one()).lease)
    job = await driver.claim_one()
    await driver.fail(job.lease)

    failed = await driver.job(job)
    run = await driver.run(job.run_id)
    assert (failed.status, failed.attempts, failed.completed_at) == (JobStatus.FAILED, 2, driver.now)
    assert (run.state, run.failure_type, run.error) == (
        RunState.FAILED,
        FailureType.STAGE_FAILED,
        "it broke",
    )
    assert driver.document_status(submitted.document_id) == "FAILED"
    driver.clock.advance(100_000)
    assert await driver.claim() == [], "a failed job is never scheduled again"


async def test_a_rejected_job_is_not_retried(
    driver: LedgerDriver,
) -> None:
    await driver.submit(max_attempts=5)
    job = await driver.claim_one()
    refusal = "The file is encrypted."
    await driver.settle(Fail(job.lease, refusal, driver.now, final=True, failure_type=FailureType.REJECTED))

    run = await driver.run(job.run_id)
    assert (run.state, run.failure_type, run.error) == (RunState.FAILED, FailureType.REJECTED, refusal)


async def test_suspending_and_releasing_use_no_attempt(
    driver: LedgerDriver,
) -> None:
    await driver.submit(max_attempts=2)
    for turn in range(5):
        await driver.suspend((await driver.claim_one()).lease, wait=60, payload={"polls": turn})
        driver.clock.advance(60)
        await driver.release((await driver.claim_one()).lease)
    job = await driver.claim_one()
    assert (job.attempts, job.crashes, job.payload) == (0, 0, {"polls": 4})


async def test_a_suspended_job_stores_its_waiting_reason_and_payload(
    driver: LedgerDriver,
) -> None:
    await driver.submit(payload={"operation": "op-1"})
    job = await driver.claim_one()
    await driver.suspend(job.lease, wait=60)

    waiting = await driver.job(job)
    assert (waiting.waiting_reason, waiting.waiting_provider) == (WaitingReason.PROVIDER_OPERATION, "openai")
    assert (waiting.waiting_until, waiting.payload) == (driver.later(60), {"operation": "op-1"})
    assert (waiting.locked_by, waiting.lease_until) == (None, None)
    assert await driver.claim() == []
    driver.clock.advance(60)
    again = await driver.claim_one()
    assert again.payload == {"operation": "op-1"}
    claimed = await driver.job(again)
    assert (claimed.waiting_reason, claimed.waiting_provider, claimed.waiting_until) == (None, None, None)


async def test_a_released_job_is_due_at_once_in_its_old_position(driver: LedgerDriver) -> None:
    await driver.submit("first")
    driver.clock.advance(1)
    await driver.submit("second")
    first = await driver.claim_one("anna")
    driver.clock.advance(10)
    await driver.release(first.lease)
    assert (await driver.claim_one("boris")).document_id == first.document_id


async def test_a_retry_time_is_stored_with_microseconds(
    driver: LedgerDriver,
) -> None:
    await driver.submit()
    job = await driver.claim_one()
    moment = datetime(2026, 1, 1, 0, 7, 11, 123457, tzinfo=UTC)
    await driver.settle(Fail(job.lease, "it broke", moment))
    assert (await driver.job(job)).available_at == moment


async def test_the_error_log_keeps_the_latest_errors(driver: LedgerDriver) -> None:
    run_id = await driver.submitted_run(max_attempts=100)
    for number in range(12):
        lease = (await driver.claim_one()).lease
        await driver.settle(Fail(lease, f"error number {number}, {'x' * 1000}", driver.now))
    log = (await driver.last_job(run_id)).error_log
    assert log is not None
    assert len(log) == 8000
    assert "error number 11" in log
    assert "error number 0," not in log


async def test_a_dead_worker_uses_no_attempt_and_counts_no_crash(driver: LedgerDriver) -> None:
    await driver.submit(max_attempts=1)
    for _ in range(4):
        await driver.claim_one("anna")
        await driver.rescue()
    job = await driver.claim_one("anna")
    await driver.rescue()
    rescued = await driver.job(job)
    assert (rescued.status, rescued.attempts, rescued.crashes) == (JobStatus.PENDING, 0, 0)
    assert (rescued.available_at, rescued.locked_by, rescued.lease_until) == (driver.now, None, None)
    assert rescued.lease_epoch == job.lease.epoch + 1
    assert rescued.error_log is not None
    assert "anna stopped responding" in rescued.error_log


async def test_every_job_of_a_dead_worker_is_a_suspect(driver: LedgerDriver) -> None:
    for _ in range(3):
        await driver.submit()
    await driver.claim("anna")
    driver.clock.advance(31)
    await driver.submit("untouched")
    await driver.ledger.sweep(driver.now)
    claimed = await driver.claim("boris")
    assert sorted(job.suspect for job in claimed) == [False, True, True, True]


async def test_crashes_and_attempts_are_counted_apart(driver: LedgerDriver) -> None:
    await driver.submit(max_attempts=3)
    await driver.fail((await driver.claim_one()).lease)
    await driver.crash((await driver.claim_one()).lease)
    job = await driver.claim_one()
    assert (job.attempts, job.crashes) == (1, 1)
    await driver.fail(job.lease)
    job = await driver.claim_one()
    assert (job.attempts, job.crashes) == (2, 1)
    await driver.fail(job.lease)
    run = await driver.run(job.run_id)
    assert (run.state, run.failure_type) == (RunState.FAILED, FailureType.STAGE_FAILED)


@pytest.mark.parametrize("limit", [1, 2, 4])
async def test_a_job_is_quarantined_at_its_last_allowed_crash(driver: LedgerDriver, limit: int) -> None:
    submitted = await driver.submit(max_attempts=1)
    for _ in range(limit - 1):
        await driver.crash((await driver.claim_one()).lease, max_crashes=limit)
    job = await driver.claim_one()
    assert (job.attempts, job.crashes) == (0, limit - 1)
    await driver.crash(job.lease, max_crashes=limit)

    failed, run = await driver.job(job), await driver.run(job.run_id)
    assert (failed.status, failed.attempts, failed.crashes) == (JobStatus.FAILED, 0, limit)
    assert (run.state, run.failure_type) == (RunState.FAILED, FailureType.QUARANTINED)
    assert run.error == "The child process was ended by SIGSEGV."
    assert driver.document_status(submitted.document_id) == "FAILED"


async def test_a_suspect_is_one_until_its_stage_ends_without_a_crash(driver: LedgerDriver) -> None:
    await driver.submit(max_attempts=9)
    await driver.claim_one()
    await driver.rescue()
    # A crash and a release prove nothing about the next execution.
    await driver.crash((await driver.claim_one()).lease)
    await driver.release((await driver.claim_one()).lease)
    job = await driver.claim_one()
    assert job.suspect
    # An error does: the process lives.
    await driver.fail(job.lease)
    assert not (await driver.claim_one()).suspect


async def test_waiting_for_a_provider_leaves_suspicion_and_crashes(driver: LedgerDriver) -> None:
    await driver.submit()
    await driver.claim_one()
    await driver.rescue()
    await driver.crash((await driver.claim_one()).lease)
    throttled = Suspended((await driver.claim_one()).lease, driver.now, WaitingReason.PROVIDER_THROTTLED)
    await driver.settle(throttled)
    job = await driver.claim_one()
    assert (job.suspect, job.crashes) == (True, 1)


async def test_a_job_that_makes_progress_between_crashes_is_not_quarantined(
    driver: LedgerDriver,
) -> None:
    await driver.submit(max_attempts=50)
    for _ in range(4):
        await driver.crash((await driver.claim_one()).lease)
        await driver.suspend((await driver.claim_one()).lease, wait=0, payload={"windows_done": 3})
    job = await driver.claim_one()
    assert (job.crashes, job.suspect) == (0, False)


async def test_the_crash_counter_starts_at_zero_in_each_stage(driver: LedgerDriver) -> None:
    await driver.submit()
    await driver.claim_one()
    await driver.rescue()
    await driver.crash((await driver.claim_one()).lease)
    job = await driver.claim_one()
    assert (job.crashes, job.suspect) == (1, True)
    await driver.advance(job.lease, "chunk", keep=False)
    job = await driver.claim_one()
    assert (job.stage, job.crashes, job.attempts, job.suspect) == ("chunk", 0, 0, False)


async def test_a_retried_quarantined_document_is_still_a_suspect(driver: LedgerDriver) -> None:
    await driver.submit()
    await driver.claim_one()
    await driver.rescue()
    job = await driver.claim_one()
    await driver.crash(job.lease, max_crashes=1)
    await driver.ledger.retry(job.lease.job_id, driver.now, org_id=DEFAULT_ORG_ID)
    again = await driver.claim_one()
    assert (again.attempts, again.crashes, again.suspect) == (0, 0, True)


async def test_progress_is_stored_and_kept_after_the_worker_died(driver: LedgerDriver) -> None:
    await driver.submit()
    job = await driver.claim_one()
    pages = Progress(76, 406, ProgressUnit.PAGE)
    await driver.ledger.progress(job.lease, pages, driver.now)
    assert (await driver.job(job)).progress == pages
    await driver.rescue()
    assert (await driver.job(job)).progress == pages


async def test_a_claim_returns_exactly_the_due_jobs(driver: LedgerDriver) -> None:
    start = driver.now
    for wait in (0, 1, 59, 60, 61, 3600):
        await driver.submit(str(wait))
        (job,) = await driver.claim(limit=1)
        await driver.settle(Fail(job.lease, "later", start + timedelta(seconds=wait, microseconds=1)))
    driver.clock.advance(60)
    assert len(await driver.claim()) == 3
    driver.clock.advance(0.000001)
    assert len(await driver.claim()) == 1
