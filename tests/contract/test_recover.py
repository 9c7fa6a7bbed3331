"""recover: an embedded server that starts again finds orphans, explains them, and resumes them."""

from __future__ import annotations

import pytest

from tests.contract.story import Story
from tests.support.factories import a_plan
from towpath.errors import LeaseLost
from towpath.ledger.contract import Finish
from towpath.model.ids import HOME_ORG
from towpath.model.work import EventKind, FailureType, JobStatus, RunState


async def test_given_a_killed_server_when_it_starts_again_then_the_run_resumes_after_its_checkpoints(
    story: Story,
) -> None:
    # Given a run killed in its third stage
    plan = a_plan(options={"language": "de"}, max_attempts=2, deadline_seconds=120, payload={"a": 1})
    submitted = await story.submit(plan=plan)
    job = await story.claim_one()
    chunking = (await story.advance(job.lease, "chunk", result={"pages": 3})).next
    assert chunking is not None
    await story.advance(chunking, "publish", result={"chunks": 9}, next_payload={"size": 5})
    # When the server starts again
    story.clock.advance(3)
    recovered = await story.ledger.recover(story.now)
    # Then the old run is history with a reason
    assert (recovered.failed, recovered.resumed, recovered.quarantined) == (1, 1, 0)
    old, new = await story.runs(submitted.document_id)
    assert (old.state, old.failure_type) == (RunState.FAILED, FailureType.PROCESS_TERMINATED)
    assert old.error == "The process ended before the run did."
    assert (await story.last_job(old.id)).status is JobStatus.FAILED
    assert (await story.events(old.id))[-1].kind is EventKind.RUN_FAILED
    # And the new one has its checkpoints, its options and its deadline
    assert (new.state, new.resumes_run_id, new.options) == (RunState.QUEUED, old.id, {"language": "de"})
    extract, chunk, publish = await story.jobs(new.id)
    assert (extract.status, extract.result) == (JobStatus.COMPLETED, {"pages": 3})
    assert (chunk.status, chunk.result) == (JobStatus.COMPLETED, {"chunks": 9})
    assert extract.reused_from == (await story.jobs(old.id))[0].id
    assert (publish.status, publish.payload, publish.crashes) == (JobStatus.PENDING, {"size": 5}, 1)
    # And is worked at once, from where it was
    again = await story.claim_one()
    assert (again.run_id, again.stage) == (new.id, "publish")
    assert again.known == {"extract": {"pages": 3}, "chunk": {"chunks": 9}}
    assert (await story.run(new.id)).deadline_at == story.later(120)
    assert story.document_status(submitted.document_id) == "PROCESSING"


async def test_given_a_server_killed_again_and_again_then_reuse_points_at_the_first_checkpoint(
    story: Story,
) -> None:
    submitted = await story.submit()
    job = await story.claim_one()
    await story.advance(job.lease, "chunk", result={"pages": 3})
    for _ in range(2):
        await story.ledger.recover(story.now)
        story.clock.advance(1)
    newest = (await story.runs(submitted.document_id))[-1]
    assert (await story.jobs(newest.id))[0].reused_from == job.lease.job_id


async def test_given_the_setting_fail_when_it_starts_again_then_a_person_must_decide(story: Story) -> None:
    submitted = await story.submit()
    await story.claim_one()
    recovered = await story.ledger.recover(story.now, resume_runs=False)

    assert (recovered.failed, recovered.resumed) == (1, 0)
    assert await story.states(submitted.document_id) == ["FAILED"]
    assert story.document_status(submitted.document_id) == "FAILED"
    assert await story.claim() == []


async def test_given_a_document_that_takes_the_server_down_then_it_is_quarantined(story: Story) -> None:
    submitted = await story.submit()
    for _ in range(2):
        await story.claim_one()
        assert (await story.ledger.recover(story.now, max_crashes=2)).resumed == 1
        story.clock.advance(1)
    await story.claim_one()
    recovered = await story.ledger.recover(story.now, max_crashes=2)

    assert (recovered.failed, recovered.resumed, recovered.quarantined) == (1, 0, 1)
    last = (await story.runs(submitted.document_id))[-1]
    assert (last.state, last.failure_type) == (RunState.FAILED, FailureType.QUARANTINED)
    assert last.error is not None
    assert "3 times" in last.error
    assert story.document_status(submitted.document_id) == "FAILED"
    assert await story.claim() == []


async def test_given_a_job_that_only_waited_when_the_server_dies_then_it_is_innocent(story: Story) -> None:
    # Given a run waiting for a provider, while another document takes the server down many times
    submitted = await story.submit(payload={"operation": "op-1"})
    for _ in range(4):
        await story.suspend((await story.claim_one()).lease, wait=10_000, payload={"operation": "op-2"})
        assert (await story.ledger.recover(story.now, max_crashes=2)).quarantined == 0
        story.clock.advance(1)
    # Then it is not blamed, and goes on with what it knew
    runs = await story.runs(submitted.document_id)
    jobs = [await story.last_job(run.id) for run in runs]
    assert [job.status for job in jobs] == [JobStatus.CANCELLED] * 4 + [JobStatus.PENDING]
    assert (jobs[-1].crashes, jobs[-1].attempts, jobs[-1].payload) == (0, 0, {"operation": "op-2"})


async def test_given_attempts_already_used_when_resumed_then_they_are_not_given_back(story: Story) -> None:
    await story.submit(max_attempts=2)
    await story.fail((await story.claim_one()).lease)
    await story.claim_one()
    await story.ledger.recover(story.now)
    job = await story.claim_one()
    assert (job.attempts, job.crashes) == (1, 1)


async def test_given_earlier_errors_when_the_server_dies_then_they_are_still_told(story: Story) -> None:
    await story.submit(max_attempts=5)
    job = await story.claim_one()
    await story.fail(job.lease)
    await story.claim_one()
    await story.ledger.recover(story.now)
    log = (await story.job(job)).error_log
    assert log is not None
    assert "it broke" in log
    assert "The process ended" in log


async def test_given_queued_and_finished_runs_when_recovered_then_they_are_left_alone(story: Story) -> None:
    await story.submit()
    await story.finish((await story.claim_one()).lease)
    await story.submit()
    before = story.contents()
    recovered = await story.ledger.recover(story.now)
    assert (recovered.failed, recovered.resumed) == (0, 0)
    assert story.contents() == before


async def test_given_a_run_waiting_behind_the_orphan_then_it_goes_first_and_the_resumed_one_follows(
    story: Story,
) -> None:
    submitted = await story.submit(plan=a_plan(("extract",)))
    await story.claim_one()
    waiting = await story.reprocess(submitted.document_id, a_plan(("extract",)))
    story.clock.advance(1)
    await story.ledger.recover(story.now)
    first = await story.claim()
    assert [job.run_id for job in first] == [waiting]
    await story.finish(first[0].lease)
    resumed = (await story.runs(submitted.document_id))[-1]
    assert [job.run_id for job in await story.claim()] == [resumed.id]


async def test_given_a_zombie_of_the_old_process_when_it_finishes_then_it_is_told_that_it_lost(
    story: Story,
) -> None:
    await story.submit()
    zombie = (await story.claim_one()).lease
    await story.ledger.recover(story.now)
    assert isinstance(await story.try_settle(Finish(zombie)), LeaseLost)


async def test_given_a_clock_set_back_between_stages_then_the_stage_at_work_is_still_found(
    story: Story,
) -> None:
    submitted = await story.submit()
    job = await story.claim_one()
    story.clock.advance(60)
    chunking = (await story.advance(job.lease, "chunk")).next
    assert chunking is not None
    story.clock.advance(-50)
    await story.advance(chunking, "publish")
    await story.ledger.recover(story.now)
    story.clock.advance(120)
    resumed = (await story.runs(submitted.document_id))[-1]
    (again,) = await story.claim()
    assert (again.run_id, again.stage, set(again.known)) == (resumed.id, "publish", {"extract", "chunk"})


async def test_given_a_follow_up_at_work_when_the_server_dies_then_it_is_due_again(story: Story) -> None:
    submitted = await story.submit()
    await story.finish((await story.claim_one()).lease, follow_ups=("connect",))
    zombie = await story.claim_one()
    await story.ledger.recover(story.now)

    assert await story.states(submitted.document_id) == ["COMPLETED"]
    again = await story.claim_one()
    assert (again.stage, again.follow_up, again.crashes) == ("connect", True, 1)
    assert again.lease.epoch > zombie.lease.epoch


async def test_given_a_follow_up_that_takes_the_server_down_then_it_is_not_tried_for_ever(
    story: Story,
) -> None:
    submitted = await story.submit(max_attempts=100)
    await story.finish((await story.claim_one()).lease, follow_ups=("connect",))
    for _ in range(3):
        assert (await story.claim_one()).follow_up
        await story.ledger.recover(story.now, max_crashes=2)
    assert await story.claim() == []
    assert submitted.run_id is not None
    assert (await story.last_job(submitted.run_id)).status is JobStatus.FAILED
    assert await story.states(submitted.document_id) == ["COMPLETED"]
    assert story.document_status(submitted.document_id) == "COMPLETED"


@pytest.mark.parametrize("resume", [True, False])
async def test_given_many_orphans_then_each_is_recovered(story: Story, resume: bool) -> None:
    for _ in range(5):
        await story.submit()
    assert len(await story.claim()) == 5
    recovered = await story.ledger.recover(story.now, resume_runs=resume)
    assert (recovered.failed, recovered.resumed) == (5, 5 if resume else 0)
    assert len(await story.claim()) == recovered.resumed
    assert await story.ledger.retry_many(story.now, org_id=HOME_ORG) == [] or not resume
