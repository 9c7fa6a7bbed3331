"""settle: batches, lost acknowledgements, and what lands together with a checkpoint."""

from __future__ import annotations

from typing import Any

import pytest

from tests.contract.story import Story
from towpath.errors import LeaseLost
from towpath.ledger.contract import Advance, Fail, Finish, Release, Settled, Settlement, Suspended
from towpath.ledger.database import Transaction
from towpath.ledger.ledger import SqlLedger
from towpath.model.ids import HOME_ORG
from towpath.model.work import EventKind, JobStatus, Lease, RunState


async def test_given_a_stage_when_it_advances_then_the_next_job_is_already_in_the_workers_hands(
    story: Story,
) -> None:
    await story.submit()
    job = await story.claim_one("anna")
    settled = await story.advance(job.lease, "chunk", result={"pages": 3}, next_payload={"size": 200})

    assert settled.next == Lease(settled.next.job_id if settled.next else "", 1, "anna", story.later(30))
    extract, chunk = await story.jobs(job.run_id)
    assert (extract.status, extract.result, extract.lease_until) == (JobStatus.COMPLETED, {"pages": 3}, None)
    assert (chunk.stage, chunk.status, chunk.payload) == ("chunk", JobStatus.PROCESSING, {"size": 200})
    assert (chunk.locked_by, chunk.lease_until) == ("anna", story.later(30))
    assert await story.claim("boris") == []


async def test_given_a_stage_when_it_advances_without_keeping_then_anyone_may_take_the_next(
    story: Story,
) -> None:
    await story.submit()
    job = await story.claim_one("anna")
    settled = await story.advance(job.lease, "chunk", result={"pages": 3}, keep=False)

    assert settled.next is None
    (next_job,) = await story.claim("boris")
    assert (next_job.stage, next_job.known) == ("chunk", {"extract": {"pages": 3}})


async def test_given_three_stages_then_each_knows_the_results_before_it(story: Story) -> None:
    await story.submit()
    job = await story.claim_one()
    await story.advance(job.lease, "chunk", result={"a": 1}, keep=False)
    job = await story.claim_one()
    await story.advance(job.lease, "publish", result={"b": [1, 2]}, keep=False)
    job = await story.claim_one()
    assert job.known == {"extract": {"a": 1}, "chunk": {"b": [1, 2]}}


async def test_given_a_whole_run_then_its_events_tell_the_story_in_order(story: Story) -> None:
    await story.submit()
    job = await story.claim_one()
    kept = (await story.advance(job.lease, "chunk")).next
    assert kept is not None
    await story.suspend(kept, wait=10)
    story.clock.advance(10)
    job = await story.claim_one()
    await story.fail(job.lease)
    job = await story.claim_one()
    await story.finish(job.lease)

    assert [event.kind for event in await story.events(job.run_id)] == [
        EventKind.RUN_QUEUED,
        EventKind.RUN_STARTED,
        EventKind.STEP_STARTED,
        EventKind.STEP_COMPLETED,
        EventKind.STEP_STARTED,
        EventKind.STEP_SUSPENDED,
        EventKind.STEP_STARTED,
        EventKind.STEP_RETRIED,
        EventKind.STEP_STARTED,
        EventKind.STEP_COMPLETED,
        EventKind.RUN_COMPLETED,
    ]


async def test_given_a_batch_with_one_lost_lease_when_settled_then_the_others_are_durable(
    story: Story,
) -> None:
    # Given five claimed jobs, one of which was cancelled meanwhile
    for _ in range(6):
        await story.submit()
    a, b, lost, c, d, e = await story.claim()
    await story.ledger.cancel(lost.run_id, story.now, org_id=HOME_ORG)
    # When all are settled at once, each in its own way
    batch: list[Settlement] = [
        Advance(a.lease, "chunk", 5),
        Finish(b.lease),
        Finish(lost.lease),
        Fail(c.lease, "it broke", story.later(30)),
        Suspended(d.lease, story.later(60), "the provider"),
        Release(e.lease),
    ]
    answers = await story.ledger.settle(batch, story.now)
    # Then the lost one is told so, in its place, and the others have happened
    assert [isinstance(answer, LeaseLost) for answer in answers] == [False, False, True, False, False, False]
    states = [(await story.run(job.run_id)).state for job in (a, b, lost, c, d, e)]
    running = RunState.RUNNING
    assert states == [running, RunState.COMPLETED, RunState.CANCELLED, running, running, running]
    statuses = [(await story.job(job)).status for job in (a, b, lost, c, d, e)]
    pending = JobStatus.PENDING
    assert statuses == [
        JobStatus.COMPLETED,
        JobStatus.COMPLETED,
        JobStatus.CANCELLED,
        pending,
        pending,
        pending,
    ]


def _settlements(story: Story, lease: Lease) -> dict[str, Settlement]:
    return {
        "advance and keep": Advance(lease, "chunk", 5, {"pages": 3}),
        "advance": Advance(lease, "chunk", 5, {"pages": 3}, keep=False),
        "finish": Finish(lease, {"pages": 3}, ("connect", "notify")),
        "fail": Fail(lease, "it broke", story.later(30)),
        "reject": Fail(lease, "it can never work", story.now, final=True),
        "suspend": Suspended(lease, story.later(60), "the provider", {"poll": 2}),
        "release": Release(lease),
    }


@pytest.mark.parametrize(
    "word", ["advance and keep", "advance", "finish", "fail", "reject", "suspend", "release"]
)
async def test_given_an_acknowledgement_that_was_lost_when_settled_again_then_the_answer_is_the_same(
    story: Story, word: str
) -> None:
    await story.submit()
    lease = (await story.claim_one()).lease
    settlement = _settlements(story, lease)[word]

    first = await story.try_settle(settlement)
    after_once = story.contents()
    assert isinstance(first, Settled)
    assert await story.try_settle(settlement) == first
    assert story.contents() == after_once


async def test_given_the_same_settlement_twice_in_one_batch_then_it_happens_once(story: Story) -> None:
    run_id = await story.submitted_run()
    lease = (await story.claim_one()).lease
    advance = Advance(lease, "chunk", 5)
    first, second = await story.ledger.settle([advance, advance], story.now)

    assert first == second
    assert [job.stage for job in await story.jobs(run_id)] == ["extract", "chunk"]


async def test_given_a_lost_acknowledgement_when_the_next_job_was_claimed_since_then_no_second_lease_is_given(
    story: Story,
) -> None:
    # Given an advance that did not keep the lease, and the same worker claiming the next job properly
    await story.submit()
    job = await story.claim_one("anna")
    advance = Advance(job.lease, "chunk", 5, keep=False)
    await story.settle(advance)
    await story.claim_one("anna")
    # When the first acknowledgement is asked for again
    again = await story.settle(advance)
    # Then it hands out nothing: that job is being worked already
    assert again.next is None


async def test_given_a_lost_acknowledgement_when_follow_ups_were_claimed_since_then_no_lease_is_given(
    story: Story,
) -> None:
    await story.submit()
    job = await story.claim_one("anna")
    finish = Finish(job.lease, follow_ups=("connect", "notify"))
    await story.settle(finish)
    assert len(await story.claim("anna")) == 2
    again = await story.settle(finish)
    assert (again.status, again.next) == (JobStatus.COMPLETED, None)


async def test_given_a_lost_acknowledgement_when_the_kept_job_was_rescued_since_then_no_lease_is_given(
    story: Story,
) -> None:
    await story.submit()
    job = await story.claim_one("anna")
    advance = Advance(job.lease, "chunk", 5)
    await story.settle(advance)
    await story.rescue()
    again = await story.settle(advance)
    assert (again.status, again.next) == (JobStatus.COMPLETED, None)


async def test_given_writes_with_a_checkpoint_then_they_land_with_it_or_not_at_all(story: Story) -> None:
    # Given a ledger that knows how to write a document's name
    def rename(tx: Transaction, job_id: str, write: object) -> None:
        if write == "breaks":
            raise RuntimeError("the disk is full")
        tx.connection.exec_driver_sql(f"update documents set name = '{write}'")

    ledger = SqlLedger(story.database, apply=rename)
    await story.submit("original")
    job = await story.claim_one()

    # When a write breaks, then neither it nor the checkpoint is there
    before = story.contents()
    with pytest.raises(RuntimeError):
        await ledger.settle([Finish(job.lease, writes=("renamed", "breaks"))], story.now)
    assert story.contents() == before

    # When an old lease brings writes, alone or beside the new one's, then they are not applied
    await story.rescue()
    held = (await story.claim_one()).lease
    batch = [Finish(job.lease, writes=("by the zombie",)), Finish(held, writes=("by the holder",))]
    answers = await ledger.settle(batch, story.now)
    assert [isinstance(answer, LeaseLost) for answer in answers] == [True, False]
    assert _names(story) == ["by the holder"]

    # When the acknowledgement was lost and the checkpoint is sent again, then its writes are not repeated
    story.sql("update documents set name = 'changed since'")
    assert isinstance((await ledger.settle(batch[1:], story.now))[0], Settled)
    assert _names(story) == ["changed since"]


def _names(story: Story) -> list[Any]:
    return [row[0] for row in story.sql("select name from documents")]
