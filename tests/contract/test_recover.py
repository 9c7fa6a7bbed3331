"""recover: a restarted embedded server fails the runs of the dead process and resumes them."""

from __future__ import annotations

import pytest

from tests.contract.ledger_driver import LedgerDriver
from tests.support.factories import a_plan
from towpath.errors import LeaseLost
from towpath.ledger.contract.settlements import Finish
from towpath.model.event import EventKind
from towpath.model.ids import DEFAULT_ORG_ID
from towpath.model.job import JobStatus
from towpath.model.run import FailureType, RunState


async def test_after_a_crash_a_run_is_resumed_after_its_completed_stages(
    driver: LedgerDriver,
) -> None:
    # Given a run killed in its third stage
    plan = a_plan(options={"language": "de"}, max_attempts=2, deadline_seconds=120, payload={"a": 1})
    submitted = await driver.submit(plan=plan)
    job = await driver.claim_one()
    chunking = (await driver.advance(job.lease, "chunk", result={"pages": 3})).next
    assert chunking is not None
    await driver.advance(chunking, "publish", result={"chunks": 9}, next_payload={"size": 5})
    # When the server starts again
    driver.clock.advance(3)
    recovered = await driver.ledger.recover(driver.now)
    # Then the old run is FAILED with a reason
    assert (recovered.failed, recovered.resumed) == (1, 1)
    old, new = await driver.runs(submitted.document_id)
    assert (old.state, old.failure_type) == (RunState.FAILED, FailureType.PROCESS_TERMINATED)
    assert old.error == "The server stopped while this was running."
    assert (await driver.last_job(old.id)).status is JobStatus.FAILED
    assert (await driver.events(old.id))[-1].kind is EventKind.RUN_FAILED
    # And the new one has its checkpoints, its options and its deadline
    assert (new.state, new.resumes_run_id, new.options) == (RunState.QUEUED, old.id, {"language": "de"})
    extract, chunk, publish = await driver.jobs(new.id)
    assert (extract.status, extract.result) == (JobStatus.COMPLETED, {"pages": 3})
    assert (chunk.status, chunk.result) == (JobStatus.COMPLETED, {"chunks": 9})
    assert extract.reused_from == (await driver.jobs(old.id))[0].id
    assert (publish.status, publish.payload) == (JobStatus.PENDING, {"size": 5})
    assert (publish.attempts, publish.crashes, publish.suspect) == (0, 0, True)
    # And it is due at once, at the unfinished stage
    again = await driver.claim_one()
    assert (again.run_id, again.stage) == (new.id, "publish")
    assert again.results == {"extract": {"pages": 3}, "chunk": {"chunks": 9}}
    assert (await driver.run(new.id)).deadline_at == driver.later(120)
    assert driver.document_status(submitted.document_id) == "PROCESSING"


async def test_after_several_crashes_reused_from_is_the_first_completed_job(
    driver: LedgerDriver,
) -> None:
    submitted = await driver.submit()
    job = await driver.claim_one()
    await driver.advance(job.lease, "chunk", result={"pages": 3})
    for _ in range(2):
        await driver.ledger.recover(driver.now)
        driver.clock.advance(1)
    newest = (await driver.runs(submitted.document_id))[-1]
    assert (await driver.jobs(newest.id))[0].reused_from == job.lease.job_id


async def test_without_resume_runs_are_failed_and_not_resumed(
    driver: LedgerDriver,
) -> None:
    submitted = await driver.submit()
    await driver.claim_one()
    recovered = await driver.ledger.recover(driver.now, resume_runs=False)

    assert (recovered.failed, recovered.resumed) == (1, 0)
    assert await driver.states(submitted.document_id) == ["FAILED"]
    assert driver.document_status(submitted.document_id) == "FAILED"
    assert await driver.claim() == []


async def test_a_dead_server_counts_no_crash_and_leaves_the_count_of_crashes_alone(
    driver: LedgerDriver,
) -> None:
    await driver.submit()
    for _ in range(5):
        await driver.claim_one()
        assert (await driver.ledger.recover(driver.now)).resumed == 1
        driver.clock.advance(1)
    await driver.crash((await driver.claim_one()).lease)
    await driver.claim_one()
    await driver.ledger.recover(driver.now)
    job = await driver.claim_one()
    assert (job.attempts, job.crashes, job.suspect) == (0, 1, True)


async def test_a_quarantined_document_is_not_resumed(driver: LedgerDriver) -> None:
    submitted = await driver.submit()
    await driver.crash((await driver.claim_one()).lease, max_crashes=1)
    recovered = await driver.ledger.recover(driver.now)

    assert (recovered.failed, recovered.resumed) == (0, 0)
    last = (await driver.runs(submitted.document_id))[-1]
    assert (last.state, last.failure_type) == (RunState.FAILED, FailureType.QUARANTINED)
    assert driver.document_status(submitted.document_id) == "FAILED"
    assert await driver.claim() == []


async def test_a_waiting_job_is_no_suspect_after_a_crash(
    driver: LedgerDriver,
) -> None:
    # Given a run that waits for a provider while the server crashes several times
    submitted = await driver.submit(payload={"operation": "op-1"})
    for _ in range(4):
        await driver.suspend((await driver.claim_one()).lease, wait=10_000, payload={"operation": "op-2"})
        await driver.ledger.recover(driver.now)
        driver.clock.advance(1)
    # Then no crash is counted for it, and it keeps its payload
    runs = await driver.runs(submitted.document_id)
    jobs = [await driver.last_job(run.id) for run in runs]
    assert [job.status for job in jobs] == [JobStatus.CANCELLED] * 4 + [JobStatus.PENDING]
    assert (jobs[-1].suspect, jobs[-1].attempts, jobs[-1].payload) == (False, 0, {"operation": "op-2"})


async def test_a_resumed_run_keeps_the_used_attempts(
    driver: LedgerDriver,
) -> None:
    await driver.submit(max_attempts=2)
    await driver.fail((await driver.claim_one()).lease)
    await driver.claim_one()
    await driver.ledger.recover(driver.now)
    job = await driver.claim_one()
    assert (job.attempts, job.crashes, job.suspect) == (1, 0, True)


async def test_a_recovery_keeps_earlier_errors(
    driver: LedgerDriver,
) -> None:
    await driver.submit(max_attempts=5)
    job = await driver.claim_one()
    await driver.fail(job.lease)
    await driver.claim_one()
    await driver.ledger.recover(driver.now)
    log = (await driver.job(job)).error_log
    assert log is not None
    assert "it broke" in log
    assert "The server stopped" in log


async def test_recovery_does_not_change_queued_and_ended_runs(
    driver: LedgerDriver,
) -> None:
    await driver.submit()
    await driver.finish((await driver.claim_one()).lease)
    await driver.submit()
    before = driver.contents()
    recovered = await driver.ledger.recover(driver.now)
    assert (recovered.failed, recovered.resumed) == (0, 0)
    assert driver.contents() == before


async def test_a_waiting_run_starts_before_the_resumed_run(
    driver: LedgerDriver,
) -> None:
    submitted = await driver.submit(plan=a_plan(("extract",)))
    await driver.claim_one()
    waiting = await driver.reprocess(submitted.document_id, a_plan(("extract",)))
    driver.clock.advance(1)
    await driver.ledger.recover(driver.now)
    first = await driver.claim()
    assert [job.run_id for job in first] == [waiting]
    await driver.finish(first[0].lease)
    resumed = (await driver.runs(submitted.document_id))[-1]
    assert [job.run_id for job in await driver.claim()] == [resumed.id]


async def test_a_worker_of_the_old_process_gets_lease_lost(
    driver: LedgerDriver,
) -> None:
    await driver.submit()
    zombie = (await driver.claim_one()).lease
    await driver.ledger.recover(driver.now)
    assert isinstance(await driver.try_settle(Finish(zombie)), LeaseLost)


async def test_the_unfinished_stage_is_found_if_the_clock_was_set_back(
    driver: LedgerDriver,
) -> None:
    submitted = await driver.submit()
    job = await driver.claim_one()
    driver.clock.advance(60)
    chunking = (await driver.advance(job.lease, "chunk")).next
    assert chunking is not None
    driver.clock.advance(-50)
    await driver.advance(chunking, "publish")
    await driver.ledger.recover(driver.now)
    driver.clock.advance(120)
    resumed = (await driver.runs(submitted.document_id))[-1]
    (again,) = await driver.claim()
    assert (again.run_id, again.stage, set(again.results)) == (resumed.id, "publish", {"extract", "chunk"})


async def test_a_processing_follow_up_is_due_again_after_a_crash(
    driver: LedgerDriver,
) -> None:
    submitted = await driver.submit()
    await driver.finish((await driver.claim_one()).lease, follow_ups=("connect",))
    zombie = await driver.claim_one()
    await driver.ledger.recover(driver.now)

    assert await driver.states(submitted.document_id) == ["COMPLETED"]
    again = await driver.claim_one()
    assert (again.stage, again.follow_up, again.suspect) == ("connect", True, True)
    assert again.lease.epoch > zombie.lease.epoch


@pytest.mark.parametrize("resume", [True, False])
async def test_every_running_run_is_recovered(driver: LedgerDriver, resume: bool) -> None:
    for _ in range(5):
        await driver.submit()
    assert len(await driver.claim()) == 5
    recovered = await driver.ledger.recover(driver.now, resume_runs=resume)
    assert (recovered.failed, recovered.resumed) == (5, 5 if resume else 0)
    assert len(await driver.claim()) == recovered.resumed
    assert await driver.ledger.retry_many(driver.now, org_id=DEFAULT_ORG_ID) == [] or not resume
