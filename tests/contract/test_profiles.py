"""The stale thresholds of the profiles, with the clock of the test, on both engines."""

from __future__ import annotations

import pytest

from tests.contract.ledger_driver import LedgerDriver
from towpath.config.profiles import PROFILES
from towpath.ledger.contract.ledger import ClaimRequest

THRESHOLDS = {"extraction-queue": 7200.0, "checkpointed": 1800.0}


@pytest.mark.parametrize("profile", THRESHOLDS)
async def test_a_job_without_heartbeat_is_stale_after_the_threshold_of_the_profile(
    driver: LedgerDriver, profile: str
) -> None:
    seconds = float(str(PROFILES[profile].values["lease_seconds"]))
    await driver.submit(max_attempts=5)
    (dead,) = await driver.ledger.claim(ClaimRequest("anna", 1, seconds), driver.now)
    driver.clock.advance(seconds)
    assert (await driver.ledger.sweep(driver.now)).rescued == 0
    driver.clock.advance(1)
    assert (await driver.ledger.sweep(driver.now)).rescued == 1
    assert seconds == THRESHOLDS[profile]
    assert (await driver.claim_one("boris")).lease.job_id == dead.lease.job_id


@pytest.mark.parametrize("profile", THRESHOLDS)
async def test_heartbeats_at_the_interval_of_the_profile_keep_a_job_for_a_day(
    driver: LedgerDriver, profile: str
) -> None:
    values = PROFILES[profile].values
    lease_seconds, interval = float(str(values["lease_seconds"])), float(str(values["heartbeat_seconds"]))
    await driver.submit()
    (job,) = await driver.ledger.claim(ClaimRequest("anna", 1, lease_seconds), driver.now)
    for _ in range(int(86_400 / interval)):
        driver.clock.advance(interval)
        assert driver.ledger.heartbeat([job.lease], lease_seconds, driver.now) == {job.lease.job_id}
        assert (await driver.ledger.sweep(driver.now)).rescued == 0
    await driver.finish(job.lease)
