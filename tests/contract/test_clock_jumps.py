"""The clock is set forward or back by an hour while a job runs: nothing is lost, and an old lease writes nothing."""

from __future__ import annotations

import pytest

from tests.contract.ledger_driver import LEASE_SECONDS, LedgerDriver
from towpath.errors import LeaseLost
from towpath.ledger.contract.settlements import Finish
from towpath.model.run import RunState

HOUR = 3600.0


async def test_a_job_that_is_renewed_survives_a_clock_that_is_set_back(driver: LedgerDriver) -> None:
    await driver.submit()
    job = await driver.claim_one()
    driver.clock.advance(-HOUR)
    assert driver.ledger.heartbeat([job.lease], LEASE_SECONDS, driver.now) == {job.lease.job_id}
    assert (await driver.ledger.sweep(driver.now)).rescued == 0
    await driver.settle(Finish(job.lease))
    assert (await driver.run(job.run_id)).state is RunState.COMPLETED


async def test_after_a_clock_was_set_forward_the_job_runs_again_without_an_attempt(
    driver: LedgerDriver,
) -> None:
    await driver.submit()
    job = await driver.claim_one()
    driver.clock.advance(HOUR)
    assert (await driver.ledger.sweep(driver.now)).rescued == 1
    again = await driver.claim_one()
    assert (again.lease.job_id, again.attempts, again.crashes) == (job.lease.job_id, 0, 0)
    assert isinstance(await driver.try_settle(Finish(job.lease)), LeaseLost)
    await driver.settle(Finish(again.lease))
    assert (await driver.run(job.run_id)).state is RunState.COMPLETED


@pytest.mark.parametrize("jump", [HOUR, -HOUR])
async def test_new_work_is_claimed_after_a_jump(driver: LedgerDriver, jump: float) -> None:
    driver.clock.advance(jump)
    await driver.submit()
    job = await driver.claim_one()
    await driver.settle(Finish(job.lease))
    assert (await driver.run(job.run_id)).state is RunState.COMPLETED
