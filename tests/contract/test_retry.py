"""retry, retry many and reprocess: new runs that take over what is done, and drop no option."""

from __future__ import annotations

import pytest

from tests.contract.story import Story
from tests.support.factories import a_plan
from towpath.ledger.contract import Fail
from towpath.model.ids import HOME_ORG
from towpath.model.work import Claimed, JobStatus, RunState


async def _failed_in_publish(story: Story, content: str | None = None, error: str = "it broke") -> Claimed:
    """A run whose first two stages are done and whose third has failed for good."""
    await story.submit(
        content, plan=a_plan(options={"language": "de"}, payload={"a": 1}, deadline_seconds=600)
    )
    job = await story.claim_one()
    await story.advance(job.lease, "chunk", result={"pages": 3}, keep=False)
    job = await story.claim_one()
    await story.advance(job.lease, "publish", result={"chunks": 9}, next_payload={"size": 5}, keep=False)
    job = await story.claim_one()
    await story.settle(Fail(job.lease, error, story.now, final=True))
    story.clock.advance(1)
    return job


async def test_given_a_failed_job_when_retried_then_a_new_run_resumes_where_it_stopped(story: Story) -> None:
    failed = await _failed_in_publish(story)
    before = await story.jobs(failed.run_id)
    new = await story.ledger.retry(failed.lease.job_id, story.now, org_id=HOME_ORG)

    # Then history is left as it was
    assert await story.jobs(failed.run_id) == before
    assert (await story.run(failed.run_id)).state is RunState.FAILED
    # And the new run has options, deadline, checkpoints and a fresh count of attempts
    run = await story.run(new)
    assert (run.resumes_run_id, run.options) == (failed.run_id, {"language": "de"})
    job = await story.claim_one()
    assert (job.run_id, job.stage, job.payload) == (new, "publish", {"size": 5})
    assert (job.attempts, job.crashes) == (0, 0)
    assert job.known == {"extract": {"pages": 3}, "chunk": {"chunks": 9}}
    assert (await story.run(new)).deadline_at == story.later(600)
    assert story.document_status(failed.document_id) == "PROCESSING"


async def test_given_a_failed_job_when_retried_twice_then_one_run_is_queued(story: Story) -> None:
    failed = await _failed_in_publish(story)
    first = await story.ledger.retry(failed.lease.job_id, story.now, org_id=HOME_ORG)
    second = await story.ledger.retry(failed.lease.job_id, story.now, org_id=HOME_ORG)

    assert first == second
    assert await story.states(failed.document_id) == ["FAILED", "QUEUED"]


async def test_given_a_retry_that_failed_as_well_when_retried_again_then_another_run_is_queued(
    story: Story,
) -> None:
    failed = await _failed_in_publish(story)
    await story.ledger.retry(failed.lease.job_id, story.now, org_id=HOME_ORG)
    await story.fail((await story.claim_one()).lease, final=True)
    story.clock.advance(1)
    third = await story.ledger.retry(failed.lease.job_id, story.now, org_id=HOME_ORG)
    assert (await story.claim_one()).run_id == third
    assert await story.states(failed.document_id) == ["FAILED", "FAILED", "RUNNING"]


async def test_given_a_waiting_job_when_retried_then_it_is_due_at_once(story: Story) -> None:
    await story.submit()
    job = await story.claim_one()
    await story.fail(job.lease, wait=3600)
    assert await story.ledger.retry(job.lease.job_id, story.now, org_id=HOME_ORG) == job.run_id
    again = await story.claim_one()
    assert (again.lease.job_id, again.attempts) == (job.lease.job_id, 1)


async def test_given_a_failed_follow_up_when_retried_then_only_it_is_queued_again(story: Story) -> None:
    submitted = await story.submit()
    await story.finish((await story.claim_one()).lease, follow_ups=("connect",))
    follow_up = await story.claim_one()
    await story.fail(follow_up.lease, final=True)
    assert await story.ledger.retry(follow_up.lease.job_id, story.now, org_id=HOME_ORG) == submitted.run_id

    assert await story.states(submitted.document_id) == ["COMPLETED"]
    again = await story.claim_one()
    assert (again.stage, again.follow_up, again.attempts) == ("connect", True, 0)


async def test_given_many_failed_jobs_when_retried_by_stage_then_only_those_are(story: Story) -> None:
    deep = await _failed_in_publish(story)
    await story.submit()
    shallow = await story.claim_one()
    await story.fail(shallow.lease, final=True)
    story.clock.advance(1)

    (new,) = await story.ledger.retry_many(story.now, org_id=HOME_ORG, stage="publish")
    assert (await story.run(new)).resumes_run_id == deep.run_id


async def test_given_many_failed_jobs_when_retried_by_error_then_only_those_are(story: Story) -> None:
    throttled = await _failed_in_publish(story, error="quota of 100% is used up")
    await _failed_in_publish(story, error="quota of 100 is used up")

    (new,) = await story.ledger.retry_many(story.now, org_id=HOME_ORG, error="100%")
    assert (await story.run(new)).resumes_run_id == throttled.run_id


async def test_given_many_failed_jobs_when_all_are_retried_then_each_once_and_oldest_first(
    story: Story,
) -> None:
    failed = [await _failed_in_publish(story) for _ in range(3)]
    queued = await story.ledger.retry_many(story.now, org_id=HOME_ORG, limit=2)
    assert [(await story.run(run)).resumes_run_id for run in queued] == [job.run_id for job in failed[:2]]
    # What was retried has a newer run, and is not retried once more
    (last,) = await story.ledger.retry_many(story.now, org_id=HOME_ORG)
    assert (await story.run(last)).resumes_run_id == failed[2].run_id
    assert await story.ledger.retry_many(story.now, org_id=HOME_ORG) == []


async def test_given_a_document_that_succeeded_since_when_all_are_retried_then_it_is_left_alone(
    story: Story,
) -> None:
    failed = await _failed_in_publish(story)
    await story.ledger.retry(failed.lease.job_id, story.now, org_id=HOME_ORG)
    await story.finish((await story.claim_one()).lease)
    assert await story.ledger.retry_many(story.now, org_id=HOME_ORG) == []


async def test_given_a_failed_follow_up_when_all_are_retried_again_and_again_then_it_is_queued_once(
    story: Story,
) -> None:
    await story.submit()
    await story.finish((await story.claim_one()).lease, follow_ups=("connect",))
    follow_up = await story.claim_one()
    await story.fail(follow_up.lease, final=True)
    for _ in range(3):
        await story.ledger.retry_many(story.now, org_id=HOME_ORG)
        await story.ledger.retry(follow_up.lease.job_id, story.now, org_id=HOME_ORG)
    assert len(await story.claim()) == 1


async def test_given_a_completed_document_when_reprocessed_then_everything_is_done_anew(story: Story) -> None:
    submitted = await story.submit()
    job = await story.claim_one()
    await story.advance(job.lease, "chunk", result={"pages": 3}, keep=False)
    await story.finish((await story.claim_one()).lease)
    new = await story.reprocess(submitted.document_id, a_plan(options={"language": "fr"}))

    assert await story.states(submitted.document_id) == ["COMPLETED", "QUEUED"]
    job = await story.claim_one()
    assert (job.run_id, job.stage, job.known, job.options) == (new, "extract", {}, {"language": "fr"})
    assert (await story.run(new)).resumes_run_id is None


async def test_given_a_completed_document_when_reprocessed_from_a_stage_then_the_ones_before_are_reused(
    story: Story,
) -> None:
    submitted = await story.submit()
    job = await story.claim_one()
    await story.advance(job.lease, "chunk", result={"pages": 3}, keep=False)
    second = await story.claim_one()
    await story.advance(second.lease, "publish", result={"chunks": 9}, keep=False)
    await story.finish((await story.claim_one()).lease)

    new = await story.reprocess(submitted.document_id, from_stage="chunk")
    again = await story.claim_one()
    assert (again.stage, again.known) == ("chunk", {"extract": {"pages": 3}})
    assert (await story.run(new)).resumes_run_id == submitted.run_id
    assert (await story.jobs(new))[0].reused_from == job.lease.job_id


async def test_given_a_stage_to_start_from_when_fresh_is_asked_for_then_nothing_is_reused(
    story: Story,
) -> None:
    submitted = await story.submit()
    job = await story.claim_one()
    await story.advance(job.lease, "chunk", result={"pages": 3}, keep=False)
    await story.finish((await story.claim_one()).lease)
    await story.reprocess(submitted.document_id, from_stage="chunk", fresh=True)
    again = await story.claim_one()
    assert (again.stage, again.known) == ("extract", {})


async def test_given_no_run_that_came_so_far_when_reprocessed_from_a_stage_then_it_starts_at_the_first(
    story: Story,
) -> None:
    submitted = await story.submit()
    await story.fail((await story.claim_one()).lease, final=True)
    await story.reprocess(submitted.document_id, from_stage="publish")
    assert (await story.claim_one()).stage == "extract"


@pytest.mark.parametrize("state", ["completed", "processing", "cancelled"])
async def test_given_a_job_that_cannot_be_retried_then_many_retries_pass_it_over(
    story: Story, state: str
) -> None:
    await story.submit()
    job = await story.claim_one()
    if state == "completed":
        await story.finish(job.lease)
    elif state == "cancelled":
        await story.ledger.cancel(job.run_id, story.now, org_id=HOME_ORG)
    assert await story.ledger.retry_many(story.now, org_id=HOME_ORG) == []
    assert (await story.job(job)).status is not JobStatus.PENDING
