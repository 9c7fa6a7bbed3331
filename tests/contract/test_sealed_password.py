"""The sealed password of a run: a claim returns it, and the transaction that ends its job erases it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import pytest

from tests.contract.ledger_driver import LEASE_SECONDS, LedgerDriver
from tests.support.factories import a_plan
from towpath.ledger.contract.ledger import RunPlan
from towpath.ledger.contract.provider_calls import CallAnswer, CallRequest
from towpath.ledger.contract.settlements import Fail
from towpath.model.ids import DEFAULT_ORG_ID
from towpath.model.job import ClaimedJob
from towpath.model.job_payload import payload_of
from towpath.model.run import FailureType, RunState

SEALED = "1:c2VhbGVk"
DEADLINE = 120.0

End = Callable[[LedgerDriver, ClaimedJob], Awaitable[object]]


async def _locked_run(driver: LedgerDriver, plan: RunPlan | None = None) -> tuple[str, str]:
    """A document that was rejected, and its new run with a password: both ids."""
    submitted = await driver.submit()
    job = await driver.claim_one()
    await driver.fail(job.lease, final=True)
    run_id = await driver.reprocess(submitted.document_id, plan, sealed_password=SEALED)
    return submitted.document_id, run_id


def _stored(driver: LedgerDriver) -> list[tuple[str, str]]:
    """The run and the status of each job that has a password."""
    rows = driver.sql(
        "select run_id, status from document_processing_jobs where sealed_password is not null order by id"
    )
    return [(str(row.run_id), str(row.status)) for row in rows]


async def test_a_claim_returns_it_and_nothing_shows_it(driver: LedgerDriver) -> None:
    _, run_id = await _locked_run(driver)
    (due,) = await driver.ledger.due_jobs(driver.now, limit=10)

    job = await driver.claim_one()

    assert (job.run_id, job.sealed_password) == (run_id, SEALED)
    (stored,) = await driver.jobs(run_id)
    events = await driver.events(run_id)
    run = await driver.run(run_id)
    shown = (due, stored, events, run, payload_of(due), payload_of(stored), job)
    assert SEALED not in repr(shown)
    _, by_worker = await driver.ledger.job_of_worker(job.lease.job_id, org_id=DEFAULT_ORG_ID)
    assert by_worker.sealed_password == SEALED


async def _advance(driver: LedgerDriver, job: ClaimedJob) -> object:
    return await driver.advance(job.lease, "chunk")


async def _finish(driver: LedgerDriver, job: ClaimedJob) -> object:
    return await driver.finish(job.lease)


async def _reject(driver: LedgerDriver, job: ClaimedJob) -> object:
    return await driver.fail(job.lease, final=True)


async def _use_up_attempts(driver: LedgerDriver, job: ClaimedJob) -> object:
    while (await driver.fail(job.lease)).status == "PENDING":
        job = await driver.claim_one()
        assert job.sealed_password == SEALED, "a later attempt has no password"
    return None


async def _quarantine(driver: LedgerDriver, job: ClaimedJob) -> object:
    return await driver.crash(job.lease, max_crashes=1)


async def _cancel(driver: LedgerDriver, job: ClaimedJob) -> object:
    return await driver.ledger.cancel(job.run_id, driver.now, org_id=DEFAULT_ORG_ID)


async def _time_out(driver: LedgerDriver, job: ClaimedJob) -> object:
    driver.ledger.heartbeat([job.lease], 2 * DEADLINE, driver.now)
    driver.clock.advance(DEADLINE + 1)
    return await driver.ledger.sweep(driver.now)


async def _die_without_recovery(driver: LedgerDriver, job: ClaimedJob) -> object:
    return await driver.ledger.recover(driver.now, resume_runs=False)


async def _lose_lease_without_recovery(driver: LedgerDriver, job: ClaimedJob) -> object:
    driver.sql("""update processing_runs set policy = '{"recovery": "fail"}'""")
    driver.clock.advance(LEASE_SECONDS + 1)
    return await driver.ledger.sweep(driver.now)


async def _delete(driver: LedgerDriver, job: ClaimedJob) -> object:
    return driver.sql("delete from documents where id = :id", id=job.document_id)


@pytest.mark.parametrize(
    "end",
    [
        _advance,
        _finish,
        _reject,
        _use_up_attempts,
        _quarantine,
        _cancel,
        _time_out,
        _die_without_recovery,
        _lose_lease_without_recovery,
        _delete,
    ],
)
async def test_the_end_of_the_job_erases_it(driver: LedgerDriver, end: End) -> None:
    _, run_id = await _locked_run(driver, a_plan(deadline_seconds=DEADLINE))
    job = await driver.claim_one()
    assert _stored(driver) == [(run_id, "PROCESSING")]

    await end(driver, job)

    assert _stored(driver) == []


async def test_a_cancelled_run_that_did_not_start_has_none(driver: LedgerDriver) -> None:
    _, run_id = await _locked_run(driver)

    await driver.ledger.cancel(run_id, driver.now, org_id=DEFAULT_ORG_ID)

    assert _stored(driver) == []


async def test_a_job_that_goes_back_to_the_queue_keeps_it(driver: LedgerDriver) -> None:
    _, run_id = await _locked_run(driver)
    await driver.suspend((await driver.claim_one()).lease, wait=0)
    await driver.release((await driver.claim_one()).lease)
    await driver.claim_one()
    await driver.rescue()

    assert _stored(driver) == [(run_id, "PENDING")]
    assert (await driver.claim_one()).sealed_password == SEALED


async def test_a_killed_server_continues_with_it(driver: LedgerDriver) -> None:
    document_id, _ = await _locked_run(driver)
    await driver.claim_one()

    await driver.ledger.recover(driver.now)

    new = (await driver.runs(document_id))[-1]
    assert new.state is RunState.QUEUED
    assert _stored(driver) == [(new.id, "PENDING")]


async def test_a_run_that_continues_after_the_deadline_has_it(driver: LedgerDriver) -> None:
    plan = a_plan(deadline_seconds=DEADLINE, continue_after_timeout=True)
    document_id, _ = await _locked_run(driver, plan)
    job = await driver.claim_one()
    await driver.ledger.begin_call(job.lease, CallRequest("key", "local", "reader-1"), driver.now)
    await driver.ledger.save_answer(job.lease, "key", CallAnswer({"pages": 4}), driver.now)

    await _time_out(driver, job)

    new = (await driver.runs(document_id))[-1]
    assert new.state is RunState.QUEUED
    assert _stored(driver) == [(new.id, "PENDING")]


async def test_a_stage_before_the_reading_one_passes_it_on(driver: LedgerDriver) -> None:
    _, run_id = await _locked_run(driver)
    job = await driver.claim_one()

    await driver.advance(job.lease, "extract", keep=False, sealed_password=job.sealed_password)

    assert _stored(driver) == [(run_id, "PENDING")]
    assert (await driver.claim_one()).sealed_password == SEALED


async def test_a_retry_of_a_failed_run_has_none(driver: LedgerDriver) -> None:
    _, _ = await _locked_run(driver)
    job = await driver.claim_one()
    await driver.fail(job.lease, final=True)

    await driver.ledger.retry(job.lease.job_id, driver.now, org_id=DEFAULT_ORG_ID)

    assert (await driver.claim_one()).sealed_password is None


async def test_the_code_of_a_rejection_is_stored_with_the_run(driver: LedgerDriver) -> None:
    run_id = await driver.submitted_run()
    job = await driver.claim_one()

    await driver.settle(
        Fail(
            job.lease,
            "This PDF is password-protected.",
            driver.now,
            final=True,
            failure_type=FailureType.REJECTED,
            rejection_code="encrypted",
        )
    )

    assert (await driver.run(run_id)).rejection_code == "encrypted"
