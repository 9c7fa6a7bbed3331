"""I3 and I4: a job of a dead worker is rescued; a live worker never loses its lease."""

from __future__ import annotations

from tests.contract.ledger_driver import LEASE_SECONDS, LedgerDriver
from tests.support.factories import a_submission
from towpath.model.job import JobStatus, Lease


async def test_a_sweep_rescues_a_job_with_an_expired_lease(
    driver: LedgerDriver,
) -> None:
    submitted = await driver.submit()
    dead = await driver.claim_one("anna")
    driver.clock.advance(LEASE_SECONDS)
    assert (await driver.ledger.sweep(driver.now)).rescued == 0, "a lease is valid until its last instant"
    driver.clock.advance(0.001)
    assert (await driver.ledger.sweep(driver.now)).rescued == 1
    again = await driver.claim_one("boris")
    assert (again.run_id, again.lease.job_id) == (submitted.run_id, dead.lease.job_id)
    assert await driver.states(submitted.document_id) == ["RUNNING"], "other workers may be alive"


async def test_heartbeats_keep_the_lease_of_a_long_stage(driver: LedgerDriver) -> None:
    await driver.submit()
    job = await driver.claim_one()
    for _ in range(50):
        driver.clock.advance(LEASE_SECONDS - 1)
        assert driver.ledger.heartbeat([job.lease], LEASE_SECONDS, driver.now) == {job.lease.job_id}
        assert (await driver.ledger.sweep(driver.now)).rescued == 0
    await driver.finish(job.lease)


async def test_an_expired_lease_can_be_renewed_before_a_sweep(
    driver: LedgerDriver,
) -> None:
    await driver.submit()
    job = await driver.claim_one()
    driver.clock.advance(LEASE_SECONDS * 3)
    assert driver.ledger.heartbeat([job.lease], LEASE_SECONDS, driver.now) == {job.lease.job_id}
    assert (await driver.ledger.sweep(driver.now)).rescued == 0


async def test_a_heartbeat_returns_only_the_leases_still_held(
    driver: LedgerDriver,
) -> None:
    for _ in range(3):
        await driver.submit()
    kept, lost, other = [job.lease for job in await driver.claim()]
    await driver.release(lost)
    forged = Lease(other.job_id, other.epoch + 1, "anna", other.until)
    assert driver.ledger.heartbeat([kept, lost, forged], LEASE_SECONDS, driver.now) == {kept.job_id}
    assert driver.ledger.heartbeat([], LEASE_SECONDS, driver.now) == set()


async def test_a_sweep_with_a_limit_rescues_the_oldest_jobs_first(
    driver: LedgerDriver,
) -> None:
    for _ in range(5):
        await driver.submit()
        await driver.claim_one()
        driver.clock.advance(1)
    driver.clock.advance(LEASE_SECONDS)
    assert (await driver.ledger.sweep(driver.now, limit=2)).rescued == 2
    assert (await driver.ledger.sweep(driver.now, limit=2)).rescued == 2
    assert (await driver.ledger.sweep(driver.now, limit=2)).rescued == 1
    assert (await driver.ledger.sweep(driver.now, limit=2)).rescued == 0


async def test_a_sweep_returns_the_time_of_the_next_one(driver: LedgerDriver) -> None:
    assert (await driver.ledger.sweep(driver.now)).next_at is None
    await driver.submit(deadline_seconds=20)
    await driver.submit()
    await driver.claim()
    assert (await driver.ledger.sweep(driver.now)).next_at == driver.later(20)
    driver.clock.advance(21)
    assert (await driver.ledger.sweep(driver.now)).next_at == driver.later(LEASE_SECONDS - 21)


async def test_a_job_with_a_kept_lease_is_rescued(
    driver: LedgerDriver,
) -> None:
    await driver.submit()
    job = await driver.claim_one("anna")
    kept = (await driver.advance(job.lease, "chunk")).next
    assert kept is not None
    await driver.rescue()
    extract, chunk = await driver.jobs(job.run_id)
    assert (extract.status, chunk.status) == (JobStatus.COMPLETED, JobStatus.PENDING)
    again = await driver.claim_one("boris")
    assert (again.stage, again.lease.job_id) == ("chunk", kept.job_id)


async def test_one_claim_and_one_heartbeat_handle_hundreds_of_jobs(
    driver: LedgerDriver,
) -> None:
    await driver.ledger.submit_many([a_submission() for _ in range(300)], driver.now)
    claimed = await driver.claim(limit=1000)
    assert len(claimed) == 300
    held = driver.ledger.heartbeat([job.lease for job in claimed], LEASE_SECONDS, driver.now)
    assert held == {job.lease.job_id for job in claimed}


async def test_the_job_of_a_dead_worker_is_rescued_before_its_lease_ends(driver: LedgerDriver) -> None:
    await driver.submitted_run()
    [job] = await driver.claim("anna")

    assert (await driver.ledger.sweep(driver.now, dead_workers=["boris"])).rescued == 0
    assert (await driver.ledger.sweep(driver.now, dead_workers=["anna", "boris"])).rescued == 1

    [again] = await driver.claim("boris")
    assert again.lease.job_id == job.lease.job_id
    assert again.lease.epoch > job.lease.epoch
    assert (again.attempts, again.crashes, again.suspect) == (0, 0, True)
