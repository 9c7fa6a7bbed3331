"""Deadlines: counted from the start of the run, the same to the microsecond on both engines."""

from __future__ import annotations

from datetime import timedelta

import pytest

from tests.contract.story import Story
from towpath.errors import LeaseLost
from towpath.ledger.contract import Finish
from towpath.model.work import EventKind, JobStatus, RunState


@pytest.mark.parametrize("seconds", [120, 0.25, 7200.000001, 86_400 * 30])
@pytest.mark.parametrize("start", [0.0, 0.123457, 59.999999])
async def test_given_a_deadline_then_it_counts_exactly_from_the_start_of_the_run(
    story: Story, seconds: float, start: float
) -> None:
    run_id = await story.submitted_run(deadline_seconds=seconds)
    assert (await story.run(run_id)).deadline_at is None, "waiting in the queue costs no time"
    story.clock.advance(start)
    await story.claim_one()
    assert (await story.run(run_id)).deadline_at == story.now + timedelta(seconds=seconds)


async def test_given_a_run_past_its_deadline_when_swept_then_it_is_timed_out_and_says_what_to_do(
    story: Story,
) -> None:
    submitted = await story.submit(deadline_seconds=20)
    job = await story.claim_one()
    story.clock.advance(20)
    assert (await story.ledger.sweep(story.now)).timed_out == 0
    story.clock.advance(0.001)
    assert (await story.ledger.sweep(story.now)).timed_out == 1

    run = await story.run(job.run_id)
    assert (run.state, run.ended_at) == (RunState.TIMED_OUT, story.now)
    assert run.error is not None
    assert "run_deadline_seconds" in run.error
    assert (await story.job(job)).status is JobStatus.CANCELLED
    assert (await story.events(job.run_id))[-1].kind is EventKind.RUN_TIMED_OUT
    assert story.document_status(submitted.document_id) == "TIMED_OUT"
    assert isinstance(await story.try_settle(Finish(job.lease)), LeaseLost)


async def test_given_a_run_without_deadline_then_it_may_take_for_ever(story: Story) -> None:
    await story.submit()
    job = await story.claim_one()
    story.clock.advance(1_000_000)
    story.ledger.heartbeat([job.lease], 30, story.now)
    assert (await story.ledger.sweep(story.now)).timed_out == 0


async def test_given_a_suspended_run_past_its_deadline_then_it_is_timed_out_too(story: Story) -> None:
    await story.submit(deadline_seconds=20)
    job = await story.claim_one()
    await story.suspend(job.lease, wait=3600)
    story.clock.advance(21)
    assert (await story.ledger.sweep(story.now)).timed_out == 1
    assert (await story.job(job)).status is JobStatus.CANCELLED


async def test_given_a_later_stage_then_the_deadline_of_the_run_does_not_move(story: Story) -> None:
    run_id = await story.submitted_run(deadline_seconds=100)
    job = await story.claim_one()
    deadline = (await story.run(run_id)).deadline_at
    story.clock.advance(50)
    await story.advance(job.lease, "chunk", keep=False)
    await story.claim_one()
    assert (await story.run(run_id)).deadline_at == deadline


async def test_given_many_late_runs_then_a_sweep_ends_a_bounded_number(story: Story) -> None:
    for _ in range(5):
        await story.submit(deadline_seconds=20)
    await story.claim()
    story.clock.advance(25)
    assert (await story.ledger.sweep(story.now, limit=3)).timed_out == 3
    assert (await story.ledger.sweep(story.now, limit=3)).timed_out == 2
