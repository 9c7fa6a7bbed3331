"""Runs that wait behind another run of their document: whatever ends that one wakes the next, in order."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import pytest

from tests.contract.story import Story
from tests.support.factories import a_plan
from towpath.model.ids import HOME_ORG
from towpath.model.work import Claimed, RunState

DEADLINE = 100.0


async def _finishes(story: Story, job: Claimed) -> None:
    await story.finish(job.lease)


async def _fails_for_good(story: Story, job: Claimed) -> None:
    await story.fail(job.lease, final=True)


async def _is_cancelled(story: Story, job: Claimed) -> None:
    await story.ledger.cancel(job.run_id, story.now, org_id=HOME_ORG)


async def _times_out(story: Story, job: Claimed) -> None:
    story.clock.advance(DEADLINE + 1)
    story.ledger.heartbeat([job.lease], 30, story.now)
    await story.ledger.sweep(story.now)


async def _dies_once_too_often(story: Story, _job: Claimed) -> None:
    await story.rescue(max_crashes=0)


async def _dies_with_its_server(story: Story, _job: Claimed) -> None:
    await story.ledger.recover(story.now, resume_runs=False)


ENDS = [_finishes, _fails_for_good, _is_cancelled, _times_out, _dies_once_too_often, _dies_with_its_server]
End = Callable[[Story, Claimed], Awaitable[None]]


@pytest.mark.parametrize("end", ENDS, ids=lambda end: end.__name__.strip("_"))
async def test_given_two_waiting_runs_when_the_running_one_ends_then_they_follow_in_order(
    story: Story, end: End
) -> None:
    # Given one running run and two behind it
    plan = a_plan(("extract",), deadline_seconds=DEADLINE)
    submitted = await story.submit(plan=plan)
    running = await story.claim_one()
    second = await story.reprocess(submitted.document_id, plan)
    third = await story.reprocess(submitted.document_id, plan)

    for following in (second, third):
        # When the running one ends
        await end(story, running)
        # Then the next, and only the next, can be claimed at once
        claimed = await story.claim()
        assert [job.run_id for job in claimed] == [following]
        assert story.document_status(submitted.document_id) == "PROCESSING"
        running = claimed[0]

    # And when the last one ends nothing is left to claim
    await end(story, running)
    assert await story.claim() == []


@pytest.mark.parametrize("end", ENDS, ids=lambda end: end.__name__.strip("_"))
async def test_given_nothing_waits_when_a_run_ends_then_the_document_says_how(story: Story, end: End) -> None:
    submitted = await story.submit(deadline_seconds=DEADLINE)
    job = await story.claim_one()
    await end(story, job)
    run = await story.run(job.run_id)
    assert story.document_status(submitted.document_id) == run.state


async def test_given_a_waiting_run_when_it_is_cancelled_then_the_one_behind_it_still_waits(
    story: Story,
) -> None:
    # Given A running, B and C waiting
    submitted = await story.submit()
    running = await story.claim_one()
    second = await story.reprocess(submitted.document_id)
    third = await story.reprocess(submitted.document_id)
    # When B is cancelled
    await story.ledger.cancel(second, story.now, org_id=HOME_ORG)
    # Then C is not due before A ends: a due job that may not start would stand in the way of all others
    other = await story.submit()
    assert [job.run_id for job in await story.claim("boris", limit=1)] == [other.run_id]
    assert (await story.last_job(third)).available_at > story.later(1_000_000)
    # And the document is still being processed, by A
    assert story.document_status(submitted.document_id) == "PROCESSING"
    # And when A ends, C follows
    await story.finish(running.lease)
    assert [job.run_id for job in await story.claim()] == [third]


async def test_given_a_running_run_when_the_only_waiting_one_is_cancelled_then_the_document_is_in_process(
    story: Story,
) -> None:
    submitted = await story.submit()
    await story.claim_one()
    second = await story.reprocess(submitted.document_id)
    await story.ledger.cancel(second, story.now, org_id=HOME_ORG)

    assert (await story.run(second)).state is RunState.CANCELLED
    assert story.document_status(submitted.document_id) == "PROCESSING"


async def test_given_a_first_run_not_yet_started_when_it_is_cancelled_then_the_next_is_due(
    story: Story,
) -> None:
    submitted = await story.submit()
    second = await story.reprocess(submitted.document_id)
    assert submitted.run_id is not None
    await story.ledger.cancel(submitted.run_id, story.now, org_id=HOME_ORG)

    assert [job.run_id for job in await story.claim()] == [second]


async def test_given_a_waiting_run_when_its_job_is_retried_then_it_keeps_waiting(story: Story) -> None:
    submitted = await story.submit()
    await story.claim_one()
    second = await story.reprocess(submitted.document_id)
    job = await story.last_job(second)

    assert await story.ledger.retry(job.id, story.now, org_id=HOME_ORG) == second
    assert await story.claim("boris") == []
    assert (await story.last_job(second)).waiting_for == job.waiting_for


async def test_given_a_run_that_starts_while_others_wait_then_a_suspended_stage_wakes_nobody(
    story: Story,
) -> None:
    submitted = await story.submit()
    job = await story.claim_one()
    await story.reprocess(submitted.document_id)
    await story.suspend(job.lease, wait=60)
    assert await story.claim() == []
    story.clock.advance(61)
    assert [again.run_id for again in await story.claim()] == [submitted.run_id]
