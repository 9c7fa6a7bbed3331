"""I9: a flood from one organization delays another by a bounded number of claims."""

from __future__ import annotations

import pytest

from tests.contract.ledger_driver import LedgerDriver
from tests.support.factories import a_plan, a_submission, add_organizations, organization_id
from towpath.ledger.contract.ledger import ClaimRequest

FLOODED, QUIET = organization_id(1), organization_id(2)


async def _flood(driver: LedgerDriver, org_id: str, size: int) -> None:
    plan = a_plan(("extract",))
    await driver.ledger.submit_many([a_submission(org_id=org_id, plan=plan) for _ in range(size)], driver.now)


@pytest.mark.parametrize("quiet", [organization_id(0), organization_id(2)], ids=["before", "after"])
@pytest.mark.parametrize("batch", [1, 50])
async def test_an_organization_is_served_within_two_claims_during_a_flood_of_another(
    driver: LedgerDriver, batch: int, quiet: str
) -> None:
    # Given an organization with 2,000 documents in the queue
    add_organizations(driver.database, FLOODED, quiet)
    await _flood(driver, FLOODED, 2000)
    for _ in range(3):
        assert {job.org_id for job in await driver.claim(limit=batch)} == {FLOODED}
    # When another organization submits a single, younger document
    driver.clock.advance(1)
    await driver.submit(org_id=quiet)
    # Then it is served by the second claim at the latest
    served = [job.org_id for _ in range(2) for job in await driver.claim(limit=batch)]
    assert quiet in served


@pytest.mark.parametrize("batch", [1, 50])
async def test_with_a_flood_every_one_of_200_organizations_is_served_in_one_round(
    driver: LedgerDriver, batch: int
) -> None:
    organizations = [organization_id(number) for number in range(1, 201)]
    add_organizations(driver.database, *organizations)
    await _flood(driver, organizations[100], 1000)
    plan = a_plan(("extract",))
    await driver.ledger.submit_many(
        [a_submission(org_id=org_id, plan=plan) for org_id in organizations if org_id != organizations[100]],
        driver.now,
    )
    # One round serves each organization once; the flooded organization may get one more job in each
    # batch that reaches the end of the round.
    served: list[str] = []
    claims = 0
    while len(set(served)) < 200:
        claims += 1
        served += [job.org_id for job in await driver.claim(limit=batch)]
        assert claims <= 200 / batch + 2, "an organization was passed over for more than a round"


async def test_two_floods_are_served_evenly(driver: LedgerDriver) -> None:
    add_organizations(driver.database, FLOODED, QUIET)
    await _flood(driver, FLOODED, 300)
    driver.clock.advance(1)
    await _flood(driver, QUIET, 300)
    served = [job.org_id for _ in range(20) for job in await driver.claim(limit=10)]
    assert served.count(FLOODED) == served.count(QUIET) == 100


async def test_one_of_several_workers_serves_the_quiet_organization(
    driver: LedgerDriver,
) -> None:
    # Each worker process has its own ledger and its own position in the round
    workers = [driver.engine.open() for _ in range(4)]
    add_organizations(driver.database, FLOODED, QUIET)
    await _flood(driver, FLOODED, 500)
    for worker in workers:
        await worker.claim(ClaimRequest("w", limit=10, lease_seconds=30), driver.now)
    await driver.submit(org_id=QUIET)
    served: set[str] = set()
    for worker in workers:
        served |= {
            job.org_id for job in await worker.claim(ClaimRequest("w", limit=1, lease_seconds=30), driver.now)
        }
    assert QUIET in served


@pytest.mark.parametrize("batch", [1, 50])
async def test_organizations_without_due_jobs_do_not_delay_another(driver: LedgerDriver, batch: int) -> None:
    # Given 200 organizations whose jobs all wait for a throttled provider
    waiting = [organization_id(number) for number in range(1, 201)]
    add_organizations(driver.database, *waiting, organization_id(500))
    plan = a_plan(("extract",))
    await driver.ledger.submit_many(
        [a_submission(org_id=org_id, plan=plan) for org_id in waiting], driver.now
    )
    driver.sql(
        "update document_processing_jobs set available_at = :later",
        later=driver.later(3600) if driver.engine.name == "postgres" else driver.later(3600).isoformat(),
    )
    # When one more organization has a due job, then the waiting ones do not hide it
    await driver.submit(org_id=organization_id(500), plan=plan)
    assert [job.org_id for job in await driver.claim(limit=batch)] == [organization_id(500)]


async def test_small_claims_continue_the_round_of_organizations(
    driver: LedgerDriver,
) -> None:
    organizations = [organization_id(number) for number in range(1, 7)]
    add_organizations(driver.database, *organizations)
    for org_id in organizations:
        await _flood(driver, org_id, 5)
    served = [job.org_id for _ in range(6) for job in await driver.claim(limit=2)]
    assert served == organizations * 2
