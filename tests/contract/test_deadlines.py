"""Deadlines: counted from the start of the run, the same to the microsecond on both engines."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from tests.contract.ledger_driver import LedgerDriver
from towpath.errors import LeaseLost
from towpath.ledger.contract.settlements import Finish, Suspended
from towpath.model.event import EventKind
from towpath.model.job import JobStatus, WaitingReason
from towpath.model.run import RunState


@pytest.mark.parametrize("seconds", [120, 0.25, 7200.000001, 86_400 * 30])
@pytest.mark.parametrize("start", [0.0, 0.123457, 59.999999])
async def test_a_deadline_is_counted_from_the_start_of_the_run(
    driver: LedgerDriver, seconds: float, start: float
) -> None:
    run_id = await driver.submitted_run(deadline_seconds=seconds)
    assert (await driver.run(run_id)).deadline_at is None, "waiting in the queue costs no time"
    driver.clock.advance(start)
    await driver.claim_one()
    assert (await driver.run(run_id)).deadline_at == driver.now + timedelta(seconds=seconds)


async def test_a_sweep_times_out_a_run_past_its_deadline_with_an_error_text(
    driver: LedgerDriver,
) -> None:
    submitted = await driver.submit(deadline_seconds=20)
    job = await driver.claim_one()
    driver.clock.advance(20)
    assert (await driver.ledger.sweep(driver.now)).timed_out == 0
    driver.clock.advance(0.001)
    assert (await driver.ledger.sweep(driver.now)).timed_out == 1

    run = await driver.run(job.run_id)
    assert (run.state, run.ended_at) == (RunState.TIMED_OUT, driver.now)
    assert run.error is not None
    assert "run_deadline_seconds" in run.error
    assert (await driver.job(job)).status is JobStatus.CANCELLED
    assert (await driver.events(job.run_id))[-1].kind is EventKind.RUN_TIMED_OUT
    assert driver.document_status(submitted.document_id) == "TIMED_OUT"
    assert isinstance(await driver.try_settle(Finish(job.lease)), LeaseLost)


async def test_a_run_without_deadline_is_never_timed_out(driver: LedgerDriver) -> None:
    await driver.submit()
    job = await driver.claim_one()
    driver.clock.advance(1_000_000)
    driver.ledger.heartbeat([job.lease], 30, driver.now)
    assert (await driver.ledger.sweep(driver.now)).timed_out == 0


async def test_a_suspended_run_past_its_deadline_is_timed_out(driver: LedgerDriver) -> None:
    await driver.submit(deadline_seconds=20)
    job = await driver.claim_one()
    await driver.suspend(job.lease, wait=3600)
    driver.clock.advance(21)
    assert (await driver.ledger.sweep(driver.now)).timed_out == 1
    assert (await driver.job(job)).status is JobStatus.CANCELLED


async def test_a_later_stage_does_not_change_the_deadline(driver: LedgerDriver) -> None:
    run_id = await driver.submitted_run(deadline_seconds=100)
    job = await driver.claim_one()
    deadline = (await driver.run(run_id)).deadline_at
    driver.clock.advance(50)
    await driver.advance(job.lease, "chunk", keep=False)
    await driver.claim_one()
    assert (await driver.run(run_id)).deadline_at == deadline


async def test_the_holder_of_a_job_postpones_the_deadline_of_its_run(driver: LedgerDriver) -> None:
    other = await driver.submitted_run(deadline_seconds=20)
    await driver.claim_one()
    await driver.submit(deadline_seconds=20)
    job = await driver.claim_one()
    deadline = driver.now + timedelta(seconds=20)

    await driver.ledger.postpone_deadline(job.lease, 7.25)
    await driver.ledger.postpone_deadline(replace(job.lease, epoch=job.lease.epoch + 1), 100)

    assert (await driver.run(job.run_id)).deadline_at == deadline + timedelta(seconds=7.25)
    assert (await driver.run(other)).deadline_at == deadline
    driver.clock.advance(21)
    assert (await driver.ledger.sweep(driver.now)).timed_out == 1
    driver.clock.advance(7)
    assert (await driver.ledger.sweep(driver.now)).timed_out == 1
    await driver.ledger.postpone_deadline(job.lease, 100)
    assert (await driver.run(job.run_id)).state is RunState.TIMED_OUT


async def test_a_run_without_deadline_gets_none_by_postponing(driver: LedgerDriver) -> None:
    run_id = await driver.submitted_run()
    job = await driver.claim_one()
    await driver.ledger.postpone_deadline(job.lease, 5)
    assert (await driver.run(run_id)).deadline_at is None


async def test_a_sweep_times_out_at_most_limit_runs(driver: LedgerDriver) -> None:
    for _ in range(5):
        await driver.submit(deadline_seconds=20)
    await driver.claim()
    driver.clock.advance(25)
    assert (await driver.ledger.sweep(driver.now, limit=3)).timed_out == 3
    assert (await driver.ledger.sweep(driver.now, limit=3)).timed_out == 2


async def test_waiting_for_the_storage_moves_the_deadline(driver: LedgerDriver) -> None:
    run_id = await driver.submitted_run(deadline_seconds=120)
    job = await driver.claim_one()
    deadline = (await driver.run(run_id)).deadline_at
    assert deadline is not None
    driver.clock.advance(100)
    await driver.settle(Suspended(job.lease, driver.later(900), WaitingReason.STORAGE, detail="full"))

    assert (await driver.run(run_id)).deadline_at == deadline + timedelta(seconds=900)
    driver.clock.advance(901)
    assert (await driver.ledger.sweep(driver.now)).timed_out == 0
