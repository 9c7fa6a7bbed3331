"""Follow-ups: jobs of their own after the run has ended well, which no failure of theirs can undo."""

from __future__ import annotations

import pytest

from tests.contract.story import Story
from towpath.model.work import EventKind, JobStatus, RunState


async def test_given_a_finished_run_then_its_follow_ups_are_queued_with_it(story: Story) -> None:
    submitted = await story.submit()
    await story.finish((await story.claim_one()).lease, follow_ups=("connect", "notify"))

    assert story.document_status(submitted.document_id) == "COMPLETED"
    claimed = await story.claim()
    assert [(job.stage, job.follow_up) for job in claimed] == [("connect", True), ("notify", True)]
    assert {job.run_id for job in claimed} == {submitted.run_id}
    assert all(set(job.known) == {"extract"} for job in claimed)


async def test_given_a_follow_up_when_it_ends_then_the_run_stays_as_it_was(story: Story) -> None:
    submitted = await story.submit()
    await story.finish((await story.claim_one()).lease, follow_ups=("connect", "notify"))
    story.clock.advance(5)
    good, bad = await story.claim()
    run = await story.run(good.run_id)
    await story.finish(good.lease)
    await story.fail(bad.lease, final=True)

    assert await story.run(good.run_id) == run
    assert (await story.job(good)).status is JobStatus.COMPLETED
    assert (await story.job(bad)).status is JobStatus.FAILED
    assert story.document_status(submitted.document_id) == "COMPLETED"
    kinds = [event.kind for event in await story.events(good.run_id)]
    assert kinds.count(EventKind.RUN_COMPLETED) == 1
    assert EventKind.RUN_FAILED not in kinds


async def test_given_a_follow_up_whose_worker_dies_then_it_is_rescued_and_at_last_given_up(
    story: Story,
) -> None:
    submitted = await story.submit()
    await story.finish((await story.claim_one()).lease, follow_ups=("connect",))
    for _ in range(3):
        assert (await story.claim_one()).follow_up
        await story.rescue(max_crashes=2)
    assert submitted.run_id is not None
    assert (await story.last_job(submitted.run_id)).status is JobStatus.FAILED
    assert (await story.run(submitted.run_id)).state is RunState.COMPLETED
    assert story.document_status(submitted.document_id) == "COMPLETED"


async def test_given_a_follow_up_then_it_delays_no_new_run_of_its_document(story: Story) -> None:
    submitted = await story.submit()
    await story.finish((await story.claim_one()).lease, follow_ups=("connect",))
    follow_up = await story.claim_one()
    new = await story.reprocess(submitted.document_id)
    assert [job.run_id for job in await story.claim()] == [new]
    await story.finish(follow_up.lease)
    assert await story.states(submitted.document_id) == ["COMPLETED", "RUNNING"]
    assert story.document_status(submitted.document_id) == "PROCESSING"


async def test_given_a_suspended_follow_up_then_it_comes_back_when_it_is_due(story: Story) -> None:
    await story.submit()
    await story.finish((await story.claim_one()).lease, follow_ups=("connect",))
    await story.suspend((await story.claim_one()).lease, wait=60)
    assert await story.claim() == []
    story.clock.advance(60)
    assert (await story.claim_one()).follow_up


async def test_given_no_follow_ups_then_nothing_is_left_to_do(story: Story) -> None:
    await story.submit()
    await story.finish((await story.claim_one()).lease)
    assert await story.claim() == []


@pytest.mark.parametrize("keep", [True, False])
async def test_given_a_follow_up_of_two_stages_then_the_second_is_a_follow_up_too(
    story: Story, keep: bool
) -> None:
    await story.submit()
    await story.finish((await story.claim_one()).lease, follow_ups=("connect",))
    first = await story.claim_one("anna")
    kept = (await story.advance(first.lease, "notify", keep=keep)).next
    if kept is None:
        second = await story.claim_one("boris")
        assert (second.stage, second.follow_up) == ("notify", True)
        kept = second.lease
    await story.finish(kept)
    last = await story.last_job(first.run_id)
    assert (last.stage, last.status, last.follow_up) == ("notify", JobStatus.COMPLETED, True)
    assert (await story.run(first.run_id)).state is RunState.COMPLETED
