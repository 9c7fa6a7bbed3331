"""I2 and I5: an old epoch changes no row, whatever it says, and a checkpoint is never taken back."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import pytest

from tests.contract.story import LEASE_SECONDS, Story
from tests.support.factories import a_call
from towpath.errors import LeaseLost
from towpath.ledger.contract import Advance, CallAnswer, Fail, Finish, Release, Settlement, Suspended
from towpath.model.ids import HOME_ORG
from towpath.model.work import EventKind, Lease

CALL = a_call()


def _says(what: Callable[[Story, Lease], Settlement]) -> Callable[[Story, Lease], Awaitable[object]]:
    async def say(story: Story, lease: Lease) -> None:
        answer = await story.try_settle(what(story, lease))
        if isinstance(answer, LeaseLost):
            raise answer

    return say


async def _heartbeat(story: Story, lease: Lease) -> None:
    if lease.job_id not in story.ledger.heartbeat([lease], LEASE_SECONDS, story.now):
        raise LeaseLost("The heartbeat was refused.")


#: Everything a worker can say with a lease in its hand.
WORDS: dict[str, Callable[[Story, Lease], Awaitable[object]]] = {
    "heartbeat": _heartbeat,
    "progress": lambda story, lease: story.ledger.progress(lease, 3, 4, story.now),
    "note": lambda story, lease: story.ledger.note(
        lease, EventKind.SCHEDULER_CONTENTION, {"late": True}, story.now
    ),
    "advance and keep": _says(lambda story, lease: Advance(lease, "chunk", 5, {"late": True})),
    "advance": _says(lambda story, lease: Advance(lease, "chunk", 5, {"late": True}, keep=False)),
    "finish": _says(lambda story, lease: Finish(lease, {"late": True}, ("connect",))),
    "fail": _says(lambda story, lease: Fail(lease, "late", story.now)),
    "reject": _says(lambda story, lease: Fail(lease, "late", story.now, final=True)),
    "suspend": _says(lambda story, lease: Suspended(lease, story.now, "nothing", {"late": True})),
    "release": _says(lambda story, lease: Release(lease)),
    "begin a new call": lambda story, lease: story.ledger.call_begin(lease, a_call("other"), story.now),
    "begin the same call": lambda story, lease: story.ledger.call_begin(lease, CALL, story.now),
    "save an operation": lambda story, lease: story.ledger.call_operation(lease, CALL.key, "late"),
    "save an answer": lambda story, lease: story.ledger.call_answer(
        lease, CALL.key, CallAnswer({"late": True}, cost=9.0), story.now
    ),
    "save a failed call": lambda story, lease: story.ledger.call_failed(lease, CALL.key, "late"),
}


async def _rescued(story: Story, _lease: Lease) -> None:
    await story.rescue()


async def _rescued_and_claimed_by_another(story: Story, _lease: Lease) -> None:
    await story.rescue()
    await story.claim_one("boris")


async def _rescued_and_claimed_by_the_same(story: Story, _lease: Lease) -> None:
    await story.rescue()
    await story.claim_one("anna")


async def _rescued_claimed_and_calling(story: Story, _lease: Lease) -> None:
    await story.rescue()
    job = await story.claim_one("boris")
    await story.ledger.call_begin(job.lease, CALL, story.now)
    await story.ledger.call_operation(job.lease, CALL.key, "operation of the living")


async def _finished_by_another(story: Story, _lease: Lease) -> None:
    await story.rescue()
    job = await story.claim_one("boris")
    await story.finish(job.lease)


async def _quarantined(story: Story, _lease: Lease) -> None:
    await story.rescue(max_crashes=0)


async def _cancelled(story: Story, lease: Lease) -> None:
    await story.ledger.cancel((await _run_of(story, lease)), story.now, org_id=HOME_ORG)


async def _timed_out(story: Story, _lease: Lease) -> None:
    story.clock.advance(1001)
    await story.ledger.sweep(story.now)


async def _recovered(story: Story, _lease: Lease) -> None:
    await story.ledger.recover(story.now)


async def _run_of(story: Story, lease: Lease) -> str:
    found = story.sql("select run_id from document_processing_jobs where id = :job", job=lease.job_id)
    return str(found[0][0])


LOSSES = [
    _rescued,
    _rescued_and_claimed_by_another,
    _rescued_and_claimed_by_the_same,
    _rescued_claimed_and_calling,
    _finished_by_another,
    _quarantined,
    _cancelled,
    _timed_out,
    _recovered,
]


@pytest.mark.parametrize("lost", LOSSES, ids=lambda lost: lost.__name__.strip("_"))
async def test_given_a_lost_lease_when_its_worker_wakes_up_then_it_writes_nothing(
    story: Story, lost: Callable[[Story, Lease], Awaitable[None]]
) -> None:
    # Given a worker that noted a call and then lost its job
    await story.submit(deadline_seconds=1000)
    zombie = (await story.claim_one("anna")).lease
    await story.ledger.call_begin(zombie, CALL, story.now)
    await lost(story, zombie)
    before = story.contents()

    for word, say in WORDS.items():
        # When it wakes up and says anything at all
        with pytest.raises(LeaseLost):
            await say(story, zombie)
        # Then it is told so, and no row is changed
        assert story.contents() == before, word


@pytest.mark.parametrize("word", WORDS)
async def test_given_a_lease_never_given_when_it_is_used_then_nothing_is_written(
    story: Story, word: str
) -> None:
    await story.submit()
    held = (await story.claim_one()).lease
    await story.ledger.call_begin(held, CALL, story.now)
    before = story.contents()

    for epoch in (held.epoch - 1, held.epoch + 1):
        forged = Lease(held.job_id, epoch, held.worker, held.until)
        with pytest.raises(LeaseLost):
            await WORDS[word](story, forged)
        assert story.contents() == before


async def test_given_a_checkpoint_when_its_worker_speaks_again_then_the_first_word_holds(
    story: Story,
) -> None:
    # Given a stage completed under this lease
    await story.submit()
    job = await story.claim_one()
    await story.advance(job.lease, result={"pages": 3}, keep=False)
    before = story.contents()
    # When the same worker, with the same lease, says something else about it
    for word in ("fail", "reject", "suspend", "release"):
        with pytest.raises(LeaseLost):
            await WORDS[word](story, job.lease)
    # Then the checkpoint stays as it was acknowledged
    assert story.contents() == before
    assert (await story.job(job)).result == {"pages": 3}


async def test_given_many_claims_of_one_job_then_the_epoch_only_grows(story: Story) -> None:
    await story.submit(max_attempts=100)
    epochs: list[int] = []
    for end in (story.release, story.suspend, story.fail, None, story.release):
        lease = (await story.claim_one()).lease
        epochs.append(lease.epoch)
        if end is None:
            await story.rescue()
        else:
            await end(lease)
        story.clock.advance(61)
    assert epochs == sorted(set(epochs))


async def test_given_two_leases_of_one_job_in_one_batch_then_only_the_newer_one_writes(story: Story) -> None:
    # Given a worker that lost a job, claimed it again, and finished both executions at the same moment
    await story.submit()
    old = (await story.claim_one("anna")).lease
    await story.rescue()
    new = (await story.claim_one("anna")).lease
    # When both are settled in one batch, whichever comes first
    answers = await story.ledger.settle(
        [Finish(old, {"by": "old"}), Finish(new, {"by": "new"}), Fail(old, "late", story.now)], story.now
    )
    # Then the old execution is told that it lost, and only the new one's result is kept
    assert [isinstance(answer, LeaseLost) for answer in answers] == [True, False, True]
    found = story.sql("select result from document_processing_jobs where id = :job", job=new.job_id)
    assert "new" in str(found[0][0])
    assert "old" not in str(found[0][0])
