"""Follow-ups: jobs after the run is COMPLETED; their failure does not change the run."""

from __future__ import annotations

import pytest

from tests.contract.ledger_driver import LedgerDriver
from towpath.model.event import EventKind
from towpath.model.job import JobStatus
from towpath.model.run import RunState


async def test_finishing_a_run_queues_its_follow_ups(driver: LedgerDriver) -> None:
    submitted = await driver.submit()
    await driver.finish((await driver.claim_one()).lease, follow_ups=("connect", "notify"))

    assert driver.document_status(submitted.document_id) == "COMPLETED"
    claimed = await driver.claim()
    assert [(job.stage, job.follow_up) for job in claimed] == [("connect", True), ("notify", True)]
    assert {job.run_id for job in claimed} == {submitted.run_id}
    assert all(set(job.results) == {"extract"} for job in claimed)


async def test_the_end_of_a_follow_up_does_not_change_the_run(driver: LedgerDriver) -> None:
    submitted = await driver.submit()
    await driver.finish((await driver.claim_one()).lease, follow_ups=("connect", "notify"))
    driver.clock.advance(5)
    good, bad = await driver.claim()
    run = await driver.run(good.run_id)
    await driver.finish(good.lease)
    await driver.fail(bad.lease, final=True)

    assert await driver.run(good.run_id) == run
    assert (await driver.job(good)).status is JobStatus.COMPLETED
    assert (await driver.job(bad)).status is JobStatus.FAILED
    assert driver.document_status(submitted.document_id) == "COMPLETED"
    kinds = [event.kind for event in await driver.events(good.run_id)]
    assert kinds.count(EventKind.RUN_COMPLETED) == 1
    assert EventKind.RUN_FAILED not in kinds


async def test_a_follow_up_whose_worker_died_is_due_again_and_fails_after_two_crashes_alone(
    driver: LedgerDriver,
) -> None:
    submitted = await driver.submit()
    await driver.finish((await driver.claim_one()).lease, follow_ups=("connect",))
    for _ in range(3):
        assert (await driver.claim_one()).follow_up
        await driver.rescue()
    for _ in range(2):
        await driver.crash((await driver.claim_one()).lease)
    assert submitted.run_id is not None
    assert (await driver.last_job(submitted.run_id)).status is JobStatus.FAILED
    assert (await driver.run(submitted.run_id)).state is RunState.COMPLETED
    assert driver.document_status(submitted.document_id) == "COMPLETED"


async def test_a_follow_up_does_not_delay_a_new_run_of_its_document(driver: LedgerDriver) -> None:
    submitted = await driver.submit()
    await driver.finish((await driver.claim_one()).lease, follow_ups=("connect",))
    follow_up = await driver.claim_one()
    new = await driver.reprocess(submitted.document_id)
    assert [job.run_id for job in await driver.claim()] == [new]
    await driver.finish(follow_up.lease)
    assert await driver.states(submitted.document_id) == ["COMPLETED", "RUNNING"]
    assert driver.document_status(submitted.document_id) == "PROCESSING"


async def test_a_suspended_follow_up_is_claimed_when_it_is_due(driver: LedgerDriver) -> None:
    await driver.submit()
    await driver.finish((await driver.claim_one()).lease, follow_ups=("connect",))
    await driver.suspend((await driver.claim_one()).lease, wait=60)
    assert await driver.claim() == []
    driver.clock.advance(60)
    assert (await driver.claim_one()).follow_up


async def test_without_follow_ups_no_job_is_left(driver: LedgerDriver) -> None:
    await driver.submit()
    await driver.finish((await driver.claim_one()).lease)
    assert await driver.claim() == []


@pytest.mark.parametrize("keep", [True, False])
async def test_the_second_stage_of_a_follow_up_is_a_follow_up(driver: LedgerDriver, keep: bool) -> None:
    await driver.submit()
    await driver.finish((await driver.claim_one()).lease, follow_ups=("connect",))
    first = await driver.claim_one("anna")
    kept = (await driver.advance(first.lease, "notify", keep=keep)).next
    if kept is None:
        second = await driver.claim_one("boris")
        assert (second.stage, second.follow_up) == ("notify", True)
        kept = second.lease
    await driver.finish(kept)
    last = await driver.last_job(first.run_id)
    assert (last.stage, last.status, last.follow_up) == ("notify", JobStatus.COMPLETED, True)
    assert (await driver.run(first.run_id)).state is RunState.COMPLETED
