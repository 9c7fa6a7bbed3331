"""Every state a job and its run can be in, each reached by real verbs, and every verb as it is tried."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace

from tests.contract.story import LEASE_SECONDS, Story
from tests.support.factories import a_document, a_plan
from towpath.errors import LeaseLost
from towpath.ledger.contract import (
    Advance,
    Fail,
    Finish,
    Release,
    Settled,
    Settlement,
    Submission,
    Suspended,
)
from towpath.lifecycle.moves import Verb
from towpath.model.ids import HOME_ORG
from towpath.model.work import Lease

DEADLINE_SECONDS = 10_000.0
ONE_DOCUMENT = a_document("the one document of this story")
PLAN = a_plan(max_attempts=2, deadline_seconds=DEADLINE_SECONDS)


@dataclass(frozen=True, slots=True)
class Subject:
    """The job that verbs are tried on, its run, and the last lease anybody had on it."""

    run_id: str
    document_id: str
    lease: Lease
    follow_up: bool = False
    parked: bool = False


async def _submitted(story: Story) -> Subject:
    submitted = await story.ledger.submit(Submission(ONE_DOCUMENT, PLAN), story.now)
    assert submitted.run_id is not None
    job = await story.last_job(submitted.run_id)
    # Nobody was ever given this lease.
    guessed = Lease(job.id, 1, "anna", story.later(LEASE_SECONDS))
    return Subject(submitted.run_id, submitted.document_id, guessed)


async def _parked(story: Story) -> Subject:
    claimed = await _claimed(story)
    run_id = await story.reprocess(claimed.document_id, PLAN)
    job = await story.last_job(run_id)
    return Subject(run_id, claimed.document_id, replace(claimed.lease, job_id=job.id), parked=True)


async def _claimed(story: Story) -> Subject:
    subject = await _submitted(story)
    return replace(subject, lease=(await story.claim_one()).lease)


async def _claimed_for_the_last_time(story: Story) -> Subject:
    subject = await _failed_once(story)
    return replace(subject, lease=(await story.claim_one()).lease)


async def _kept(story: Story) -> Subject:
    subject = await _claimed(story)
    kept = (await story.advance(subject.lease)).next
    assert kept is not None
    return replace(subject, lease=kept)


async def _follow_up(story: Story) -> Subject:
    subject = await _claimed(story)
    await story.finish(subject.lease, follow_ups=("connect",))
    job = await story.last_job(subject.run_id)
    return replace(subject, lease=replace(subject.lease, job_id=job.id), follow_up=True)


async def _claimed_follow_up(story: Story) -> Subject:
    subject = await _follow_up(story)
    return replace(subject, lease=(await story.claim_one()).lease)


def _after(
    reach: Callable[[Story], Awaitable[Subject]], *what: Callable[[Story, Subject], Awaitable[object]]
) -> Callable[[Story], Awaitable[Subject]]:
    async def way(story: Story) -> Subject:
        subject = await reach(story)
        for step in what:
            await step(story, subject)
        return subject

    return way


def _is_suspended(story: Story, subject: Subject) -> Awaitable[object]:
    return story.suspend(subject.lease)


def _is_released(story: Story, subject: Subject) -> Awaitable[object]:
    return story.release(subject.lease)


def _fails(story: Story, subject: Subject) -> Awaitable[object]:
    return story.fail(subject.lease)


def _is_rejected(story: Story, subject: Subject) -> Awaitable[object]:
    return story.fail(subject.lease, final=True)


def _is_rescued(story: Story, _subject: Subject) -> Awaitable[object]:
    return story.rescue()


def _is_quarantined(story: Story, _subject: Subject) -> Awaitable[object]:
    return story.rescue(max_crashes=0)


def _is_recovered(story: Story, _subject: Subject) -> Awaitable[object]:
    return story.ledger.recover(story.now, resume_runs=False)


def _advances(story: Story, subject: Subject) -> Awaitable[object]:
    return story.advance(subject.lease, keep=False)


def _finishes(story: Story, subject: Subject) -> Awaitable[object]:
    return story.finish(subject.lease)


def _is_cancelled(story: Story, subject: Subject) -> Awaitable[object]:
    return story.ledger.cancel(subject.run_id, story.now, org_id=HOME_ORG)


def _times_out(story: Story, _subject: Subject) -> Awaitable[object]:
    story.clock.advance(DEADLINE_SECONDS + 1)
    return story.ledger.sweep(story.now)


_failed_once = _after(_claimed, _fails)

#: name of the way -> how to get there. Between them they end in every status and every state.
WAYS: dict[str, Callable[[Story], Awaitable[Subject]]] = {
    "just submitted": _submitted,
    "parked behind another run": _parked,
    "suspended": _after(_claimed, _is_suspended),
    "released": _after(_claimed, _is_released),
    "failed once": _failed_once,
    "rescued": _after(_claimed, _is_rescued),
    "waiting follow-up": _follow_up,
    "claimed": _claimed,
    "claimed for the last time": _claimed_for_the_last_time,
    "kept by advance": _kept,
    "claimed follow-up": _claimed_follow_up,
    "advanced": _after(_claimed, _advances),
    "finished": _after(_claimed, _finishes),
    "out of attempts": _after(_claimed_for_the_last_time, _fails),
    "rejected": _after(_claimed, _is_rejected),
    "quarantined": _after(_claimed, _is_quarantined),
    "orphaned": _after(_claimed, _is_recovered),
    "failed follow-up": _after(_claimed_follow_up, _is_rejected),
    "cancelled while queued": _after(_submitted, _is_cancelled),
    "cancelled while worked": _after(_claimed, _is_cancelled),
    "timed out": _after(_claimed, _times_out),
}


def _settlement(story: Story, lease: Lease, verb: Verb) -> Settlement | None:
    settlements: dict[Verb, Settlement] = {
        Verb.ADVANCE: Advance(lease, "chunk", 5),
        Verb.FINISH: Finish(lease),
        Verb.FAIL: Fail(lease, "it broke", story.now),
        Verb.REJECT: Fail(lease, "it can never work", story.now, final=True),
        Verb.SUSPEND: Suspended(lease, story.later(60), "the provider"),
        Verb.RELEASE: Release(lease),
    }
    return settlements.get(verb)


async def attempt(story: Story, subject: Subject, verb: Verb) -> Settled | LeaseLost | None:
    """Try the verb with everything in its favour: jobs are due, leases run out, deadlines pass."""
    if settlement := _settlement(story, subject.lease, verb):
        return await story.try_settle(settlement)
    match verb:
        case Verb.SUBMIT:
            await story.ledger.submit(Submission(ONE_DOCUMENT, PLAN), story.now)
        case Verb.CLAIM:
            story.clock.advance(120)
            await story.claim("boris")
        case Verb.HEARTBEAT:
            if not story.ledger.heartbeat([subject.lease], LEASE_SECONDS, story.now):
                return LeaseLost("The heartbeat kept nothing.")
        case Verb.PROGRESS:
            await story.ledger.progress(subject.lease, 1, 2, story.now)
        case Verb.RESCUE:
            await story.rescue()
        case Verb.RECOVER:
            await story.ledger.recover(story.now, resume_runs=False)
        case Verb.TIME_OUT:
            story.clock.advance(DEADLINE_SECONDS + 1)
            story.ledger.heartbeat([subject.lease], LEASE_SECONDS, story.now)
            await story.ledger.sweep(story.now)
        case Verb.CANCEL:
            await story.ledger.cancel(subject.run_id, story.now, org_id=HOME_ORG)
        case Verb.RETRY:
            await story.ledger.retry(subject.lease.job_id, story.now, org_id=HOME_ORG)
        case _:
            raise NotImplementedError(verb)
    return None
