"""claim: returns due jobs of the given stages, oldest first."""

from __future__ import annotations

from tests.contract.ledger_driver import LedgerDriver
from tests.support.factories import a_plan, add_organizations, organization_id


async def test_the_oldest_jobs_of_an_organization_are_claimed_first(driver: LedgerDriver) -> None:
    submitted: list[str] = []
    for _ in range(9):
        submitted.append((await driver.submit()).document_id)
        driver.clock.advance(1)
    claimed = [job.document_id for job in await driver.claim(limit=4)]
    claimed += [job.document_id for job in await driver.claim(limit=1)]
    claimed += [job.document_id for job in await driver.claim(limit=100)]
    assert claimed == submitted


async def test_jobs_of_several_stages_are_claimed_by_age(driver: LedgerDriver) -> None:
    ages: list[str] = []
    for stage in ("zip", "extract", "mail", "chunk", "extract"):
        ages.append((await driver.submit(plan=a_plan((stage,)))).document_id)
        driver.clock.advance(1)
    assert [job.document_id for job in await driver.claim(limit=2)] == ages[:2]
    assert [job.document_id for job in await driver.claim(limit=9)] == ages[2:]


async def test_jobs_submitted_at_the_same_time_are_claimed_in_order_of_ids(
    driver: LedgerDriver,
) -> None:
    submitted = [(await driver.submit()).document_id for _ in range(20)]
    assert [job.document_id for job in await driver.claim(limit=20)] == submitted


async def test_jobs_are_claimed_in_order_of_their_due_time(
    driver: LedgerDriver,
) -> None:
    early = await driver.submit("early")
    await driver.suspend((await driver.claim_one()).lease, wait=10)
    driver.clock.advance(5)
    late = await driver.submit("late")
    driver.clock.advance(5)
    assert [job.document_id for job in await driver.claim()] == [late.document_id, early.document_id]


async def test_a_claim_takes_only_the_given_stages(driver: LedgerDriver) -> None:
    await driver.submit(plan=a_plan(("transcribe",)))
    await driver.submit(plan=a_plan(("extract",)))
    await driver.submit(plan=a_plan(("embed",)))

    assert await driver.claim(stages=("connect",)) == []
    assert await driver.claim(stages=()) == []
    assert [job.stage for job in await driver.claim(stages=("transcribe", "embed"))] == [
        "transcribe",
        "embed",
    ]
    assert [job.stage for job in await driver.claim(stages=None)] == ["extract"]


async def test_a_worker_of_one_stage_finds_its_job_among_many_of_other_stages(
    driver: LedgerDriver,
) -> None:
    # Given 40 organizations with work in three common stages each, and one job for the special worker
    common = [organization_id(number) for number in range(1, 41)]
    add_organizations(driver.database, *common, organization_id(99))
    for org_id in common:
        for stage in ("chunk", "embed", "extract"):
            await driver.submit(org_id=org_id, plan=a_plan((stage,)))
    special = await driver.submit(org_id=organization_id(99), plan=a_plan(("transcribe",)))
    # When the special worker claims its stage, then jobs of other stages do not hide its job
    claimed = await driver.claim("transcriber", limit=1, stages=("transcribe",))
    assert [job.document_id for job in claimed] == [special.document_id]


async def test_a_claimed_job_has_all_fields(driver: LedgerDriver) -> None:
    plan = a_plan(options={"language": "de"}, payload={"size": 7}, max_attempts=4)
    submitted = await driver.submit(plan=plan)
    (job,) = await driver.claim("anna")

    assert (job.lease.epoch, job.lease.worker, job.lease.until) == (1, "anna", driver.later(30))
    assert (job.document_id, job.run_id) == (submitted.document_id, submitted.run_id)
    assert (job.pipeline, job.stage) == ("document", "extract")
    assert (job.payload, job.options, job.results) == ({"size": 7}, {"language": "de"}, {})
    assert (job.attempts, job.max_attempts, job.crashes, job.follow_up) == (0, 4, 0, False)
    row = await driver.job(job)
    assert (row.locked_by, row.locked_at, row.started_at) == ("anna", driver.now, driver.now)


async def test_a_second_claim_keeps_the_first_started_at(driver: LedgerDriver) -> None:
    await driver.submit()
    start = driver.now
    await driver.release((await driver.claim_one()).lease)
    driver.clock.advance(60)
    row = await driver.job(await driver.claim_one())
    assert (row.started_at, row.locked_at) == (start, driver.now)
