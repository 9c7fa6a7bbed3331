"""Every verb in every state, on both engines, compared with the transition table."""

from __future__ import annotations

import pytest

from tests.contract.ledger_driver import LedgerDriver
from tests.contract.states import SET_UPS, Subject, attempt
from towpath.errors import IllegalTransition, LeaseLost
from towpath.ledger.contract.settlements import Settled
from towpath.lifecycle.transitions import Verb, next_job_states, next_run_states
from towpath.model.job import JobStatus
from towpath.model.run import RunState

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
#: Verbs that act on a run and its jobs.
BY_RUN = {Verb.RECOVER, Verb.TIME_OUT, Verb.CANCEL}

PAIRS = [pytest.param(set_up, verb, id=f"{verb} when {set_up}") for set_up in SET_UPS for verb in Verb]


def _allowed_job_states(
    subject: Subject, status: JobStatus, state: RunState, verb: Verb
) -> frozenset[JobStatus]:
    """The states that the table allows for the job and its run; empty if the verb is not allowed."""
    if verb is Verb.CLAIM and subject.behind_another_run:
        return frozenset()
    orphaned_follow_up = verb is Verb.RECOVER and subject.follow_up and status is JobStatus.PROCESSING
    if verb in BY_RUN and not next_run_states(state, verb) and not orphaned_follow_up:
        return frozenset()
    return next_job_states(status, verb)


def _allowed_run_states(
    subject: Subject, status: JobStatus, state: RunState, verb: Verb, behind_another_run: bool
) -> frozenset[RunState]:
    if verb in BY_LEASE | {Verb.CLAIM, Verb.RESCUE} and (
        behind_another_run or not next_job_states(status, verb)
    ):
        return frozenset()
    return frozenset() if subject.follow_up else next_run_states(state, verb)


@pytest.mark.parametrize(("set_up", "verb"), PAIRS)
async def test_every_verb_follows_the_transition_table(driver: LedgerDriver, set_up: str, verb: Verb) -> None:
    # Given a job that reached its state by real verbs
    subject = await SET_UPS[set_up](driver)
    run = await driver.run(subject.run_id)
    job = await driver.job(subject.lease, subject.run_id)
    before = driver.contents()

    # When the verb is tried
    refusal: Exception | None = None
    answer: Settled | LeaseLost | None = None
    try:
        answer = await attempt(driver, subject, verb)
    except (LeaseLost, IllegalTransition) as error:
        refusal = error
    if isinstance(answer, LeaseLost):
        refusal, answer = answer, None

    # Then the states of job and run are allowed by the table
    run_after = (await driver.run(subject.run_id)).state
    job_after = (await driver.job(subject.lease, subject.run_id)).status
    job_states = _allowed_job_states(subject, job.status, run.state, verb)
    run_states = _allowed_run_states(subject, job.status, run.state, verb, subject.behind_another_run)
    assert job_after in (job_states or {job.status})
    assert run_after in (run_states or {run.state})
    if verb in BY_LEASE | {Verb.RESCUE} and not subject.follow_up and job_after != job.status:
        assert (job_after is JobStatus.FAILED) == (run_after is RunState.FAILED)

    # And a verb that is not allowed was refused and changed nothing
    if verb in BY_LEASE and not job_states:
        assert driver.contents() == before
        resent = job.lease_epoch == subject.lease.epoch and job.status in next_job_states(
            JobStatus.PROCESSING, verb
        )
        if resent and verb not in (Verb.HEARTBEAT, Verb.PROGRESS) and job.status is not JobStatus.CANCELLED:
            assert answer == Settled(job.id, job.status), "a repeated settlement returns the stored status"
        else:
            assert isinstance(refusal, LeaseLost)
    elif (verb is Verb.CANCEL and not run_states) or (verb is Verb.RETRY and not job_states):
        assert driver.contents() == before
        assert isinstance(refusal, IllegalTransition)
    else:
        assert refusal is None
        # These verbs act on all rows, so they may change the neighbours of a run that waits behind
        # another one, of an advanced job and of a follow-up.
        sweeping = verb in (Verb.CLAIM, Verb.RESCUE, Verb.RECOVER, Verb.TIME_OUT)
        alone = not subject.behind_another_run and not subject.follow_up and set_up != "advanced"
        if sweeping and alone and not job_states | run_states:
            assert driver.contents() == before


async def test_the_set_ups_reach_every_status_and_state(driver: LedgerDriver) -> None:
    reached: set[object] = set()
    for set_up in SET_UPS.values():
        driver.sql("delete from documents")
        subject = await set_up(driver)
        reached |= {
            (await driver.run(subject.run_id)).state,
            (await driver.job(subject.lease, subject.run_id)).status,
        }
    assert reached == {*RunState, *JobStatus}
