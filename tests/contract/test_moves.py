"""Every verb tried in every state, on every engine, against the table of legal moves."""

from __future__ import annotations

import pytest

from tests.contract.states import WAYS, Subject, attempt
from tests.contract.story import Story
from towpath.errors import IllegalMove, LeaseLost
from towpath.ledger.contract import Settled
from towpath.lifecycle.moves import Verb, job_may, run_may
from towpath.model.work import JobStatus, RunState

BY_LEASE = {
    Verb.HEARTBEAT,
    Verb.PROGRESS,
    Verb.ADVANCE,
    Verb.FINISH,
    Verb.FAIL,
    Verb.REJECT,
    Verb.SUSPEND,
    Verb.RELEASE,
}
#: These take hold of a run, and of its jobs through it.
BY_RUN = {Verb.RECOVER, Verb.TIME_OUT, Verb.CANCEL}

PAIRS = [pytest.param(way, verb, id=f"{verb} when {way}") for way in WAYS for verb in Verb]


def _job_may(subject: Subject, status: JobStatus, state: RunState, verb: Verb) -> frozenset[JobStatus]:
    """What the table allows, for a job whose run stands as it does; empty when nothing may happen."""
    if verb is Verb.CLAIM and subject.parked:
        return frozenset()
    orphaned_follow_up = verb is Verb.RECOVER and subject.follow_up and status is JobStatus.PROCESSING
    if verb in BY_RUN and not run_may(state, verb) and not orphaned_follow_up:
        return frozenset()
    return job_may(status, verb)


def _run_may(
    subject: Subject, status: JobStatus, state: RunState, verb: Verb, parked_behind: bool
) -> frozenset[RunState]:
    if verb in BY_LEASE | {Verb.CLAIM, Verb.RESCUE} and (parked_behind or not job_may(status, verb)):
        return frozenset()
    return frozenset() if subject.follow_up else run_may(state, verb)


@pytest.mark.parametrize(("way", "verb"), PAIRS)
async def test_a_verb_does_to_a_job_and_its_run_what_the_table_says(
    story: Story, way: str, verb: Verb
) -> None:
    # Given a job that came into its state by real verbs
    subject = await WAYS[way](story)
    run = await story.run(subject.run_id)
    job = await story.job(subject.lease, subject.run_id)
    before = story.contents()

    # When the verb is tried
    refusal: Exception | None = None
    answer: Settled | LeaseLost | None = None
    try:
        answer = await attempt(story, subject, verb)
    except (LeaseLost, IllegalMove) as error:
        refusal = error
    if isinstance(answer, LeaseLost):
        refusal, answer = answer, None

    # Then job and run are where the table lets them be
    run_after = (await story.run(subject.run_id)).state
    job_after = (await story.job(subject.lease, subject.run_id)).status
    may_job = _job_may(subject, job.status, run.state, verb)
    may_run = _run_may(subject, job.status, run.state, verb, subject.parked)
    assert job_after in (may_job or {job.status})
    assert run_after in (may_run or {run.state})
    if verb in BY_LEASE | {Verb.RESCUE} and not subject.follow_up and job_after != job.status:
        assert (job_after is JobStatus.FAILED) == (run_after is RunState.FAILED)

    # And what is not allowed was refused and changed nothing
    if verb in BY_LEASE and not may_job:
        assert story.contents() == before
        resent = job.lease_epoch == subject.lease.epoch and job.status in job_may(JobStatus.PROCESSING, verb)
        if resent and verb not in (Verb.HEARTBEAT, Verb.PROGRESS) and job.status is not JobStatus.CANCELLED:
            assert answer == Settled(job.id, job.status), "a settlement sent again is told what holds"
        else:
            assert isinstance(refusal, LeaseLost)
    elif (verb is Verb.CANCEL and not may_run) or (verb is Verb.RETRY and not may_job):
        assert story.contents() == before
        assert isinstance(refusal, IllegalMove)
    else:
        assert refusal is None
        # These sweep over all there is: a run behind another one, a job before another one and a
        # follow-up have neighbours that may well move.
        sweeping = verb in (Verb.CLAIM, Verb.RESCUE, Verb.RECOVER, Verb.TIME_OUT)
        alone = not subject.parked and not subject.follow_up and way != "advanced"
        if sweeping and alone and not may_job | may_run:
            assert story.contents() == before


async def test_between_them_the_ways_reach_every_status_and_every_state(story: Story) -> None:
    reached: set[object] = set()
    for way in WAYS.values():
        story.sql("delete from documents")
        subject = await way(story)
        reached |= {
            (await story.run(subject.run_id)).state,
            (await story.job(subject.lease, subject.run_id)).status,
        }
    assert reached == {*RunState, *JobStatus}
