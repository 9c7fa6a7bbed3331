"""The transition table is consistent: end states are final, runs never go back, every state is reachable."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

import pytest

from towpath.lifecycle.transitions import (
    JOB_ENDS,
    JOB_TRANSITIONS,
    RUN_ENDS,
    RUN_TRANSITIONS,
    Verb,
    next_job_states,
    next_run_states,
)
from towpath.model.job import JobStatus
from towpath.model.run import RunState

T = TypeVar("T")

RANK = {RunState.QUEUED: 0, RunState.RUNNING: 1} | dict.fromkeys(RUN_ENDS, 2)


def test_no_verb_changes_an_ended_run() -> None:
    assert {
        RunState.COMPLETED,
        RunState.FAILED,
        RunState.TIMED_OUT,
        RunState.CANCELLED,
    } == RUN_ENDS
    for verb in Verb:
        for state in RUN_ENDS:
            assert next_run_states(state, verb) == frozenset()


@pytest.mark.parametrize("verb", Verb)
def test_a_run_never_goes_backwards(verb: Verb) -> None:
    for state in RunState:
        assert all(RANK[after] >= RANK[state] for after in next_run_states(state, verb))


@pytest.mark.parametrize("verb", Verb)
def test_no_verb_changes_an_ended_job(verb: Verb) -> None:
    for status in JOB_ENDS:
        assert next_job_states(status, verb) <= {status}


def test_every_state_can_be_reached_from_the_first() -> None:
    assert _reached(RunState.QUEUED, RUN_TRANSITIONS) == set(RunState)
    assert _reached(JobStatus.PENDING, JOB_TRANSITIONS) == set(JobStatus)


def _reached(start: T, moves: Mapping[Verb, Mapping[T, frozenset[T]]]) -> set[T]:
    reached, new = {start}, {start}
    while new:
        new = {after for table in moves.values() for state in new for after in table.get(state, ())} - reached
        reached |= new
    return reached


def test_only_claim_leases_a_job() -> None:
    leasing_verbs = {
        verb
        for verb in Verb
        for status in JobStatus
        if JobStatus.PROCESSING in next_job_states(status, verb) and status is not JobStatus.PROCESSING
    }
    assert leasing_verbs == {Verb.CLAIM}


def test_verbs_of_workers_apply_only_to_processing_jobs() -> None:
    """Each verb of a worker needs a job in PROCESSING and a run in RUNNING."""
    by_workers = {
        Verb.HEARTBEAT,
        Verb.PROGRESS,
        Verb.ADVANCE,
        Verb.FINISH,
        Verb.FAIL,
        Verb.REJECT,
        Verb.SUSPEND,
        Verb.RELEASE,
    }
    for verb in by_workers:
        assert [status for status in JobStatus if next_job_states(status, verb)] == [JobStatus.PROCESSING]
        assert [state for state in RunState if next_run_states(state, verb)] == [RunState.RUNNING]


def test_a_pair_that_is_not_in_the_table_is_not_allowed() -> None:
    assert next_job_states(JobStatus.COMPLETED, Verb.CLAIM) == frozenset()
    assert next_run_states(RunState.QUEUED, Verb.FINISH) == frozenset()
    assert next_run_states(RunState.FAILED, Verb.RETRY) == frozenset()
