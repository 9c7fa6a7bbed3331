"""I1: at most one run of a document is RUNNING, and the database itself sees to it."""

from __future__ import annotations

import pytest
from sqlalchemy.exc import IntegrityError

from tests.contract.story import Story
from tests.support.factories import a_plan
from towpath.model.ids import HOME_ORG
from towpath.model.work import JobStatus, RunState


async def test_given_a_running_run_when_more_are_queued_then_they_wait(story: Story) -> None:
    submitted = await story.submit()
    await story.claim_one()
    await story.reprocess(submitted.document_id)
    await story.reprocess(submitted.document_id)

    assert await story.states(submitted.document_id) == ["RUNNING", "QUEUED", "QUEUED"]
    assert await story.claim("boris") == []


async def test_given_a_waiting_run_then_it_says_which_run_it_waits_for(story: Story) -> None:
    submitted = await story.submit()
    second = await story.reprocess(submitted.document_id)
    third = await story.reprocess(submitted.document_id)

    assert (await story.last_job(second)).waiting_for == f"run {submitted.run_id} of the same document"
    assert (await story.last_job(third)).waiting_for == f"run {second} of the same document"


async def test_given_a_running_run_when_sql_starts_another_then_the_index_refuses(story: Story) -> None:
    submitted = await story.submit()
    await story.claim_one()
    second = await story.reprocess(submitted.document_id)

    with pytest.raises(IntegrityError):
        story.sql("update processing_runs set state = 'RUNNING' where id = :run", run=second)
    assert await story.states(submitted.document_id) == ["RUNNING", "QUEUED"]


async def test_given_a_waiting_run_made_due_by_hand_when_claimed_then_the_guard_holds(story: Story) -> None:
    submitted = await story.submit()
    await story.claim_one()
    second = await story.reprocess(submitted.document_id)
    story.sql("update document_processing_jobs set available_at = created_at where run_id = :run", run=second)

    assert await story.claim("boris") == []
    assert (await story.last_job(second)).status is JobStatus.PENDING
    assert await story.states(submitted.document_id) == ["RUNNING", "QUEUED"]


async def test_given_two_queued_runs_both_due_when_claimed_then_only_the_oldest_starts(story: Story) -> None:
    submitted = await story.submit()
    second = await story.reprocess(submitted.document_id)
    story.sql("update document_processing_jobs set available_at = created_at where run_id = :run", run=second)

    claimed = await story.claim()
    assert [job.run_id for job in claimed] == [submitted.run_id]
    assert await story.states(submitted.document_id) == ["RUNNING", "QUEUED"]


async def test_given_two_documents_then_each_has_its_running_run(story: Story) -> None:
    first, second = await story.submit(), await story.submit()

    claimed = await story.claim()
    assert {job.document_id for job in claimed} == {first.document_id, second.document_id}
    for document in (first, second):
        assert await story.states(document.document_id) == ["RUNNING"]


async def test_given_a_clock_that_was_set_back_when_a_run_is_queued_then_it_still_waits_its_turn(
    story: Story,
) -> None:
    # Given a run queued by a server whose clock is ahead
    submitted = await story.submit()
    # When another server, a minute behind, queues the next one
    story.clock.advance(-60)
    second = await story.reprocess(submitted.document_id)
    # Then the runs keep the order in which they came, and neither stops the other for ever
    assert [run.id for run in await story.runs(submitted.document_id)] == [submitted.run_id, second]
    story.clock.advance(60)
    first_job = await story.claim_one()
    assert first_job.run_id == submitted.run_id
    await story.finish(first_job.lease)
    assert (await story.claim_one()).run_id == second


async def test_given_a_finished_run_then_the_next_start_is_noted_with_its_time(story: Story) -> None:
    submitted = await story.submit(plan=a_plan(("extract",)))
    story.clock.advance(5)
    job = await story.claim_one()
    run = await story.run(job.run_id)
    assert (run.state, run.started_at, run.ended_at) == (RunState.RUNNING, story.now, None)
    story.clock.advance(5)
    await story.finish(job.lease)
    run = await story.ledger.run(job.run_id, org_id=HOME_ORG)
    assert (run.state, run.ended_at) == (RunState.COMPLETED, story.now)
    assert story.document_status(submitted.document_id) == "COMPLETED"
