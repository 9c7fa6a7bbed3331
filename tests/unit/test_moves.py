"""The table of legal moves is sound in itself: ends are final, nothing goes backwards, every state is met."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

import pytest

from towpath.lifecycle.moves import JOB_ENDS, JOB_MOVES, RUN_ENDS, RUN_MOVES, Verb, job_may, run_may
from towpath.model.work import JobStatus, RunState

T = TypeVar("T")

RANK = {RunState.QUEUED: 0, RunState.RUNNING: 1} | dict.fromkeys(RUN_ENDS, 2)


def test_a_run_that_has_ended_is_moved_by_nothing() -> None:
    assert {
        RunState.COMPLETED,
        RunState.FAILED,
        RunState.TIMED_OUT,
        RunState.CANCELLED,
    } == RUN_ENDS
    for verb in Verb:
        for state in RUN_ENDS:
            assert run_may(state, verb) == frozenset()


@pytest.mark.parametrize("verb", Verb)
def test_a_run_never_goes_backwards(verb: Verb) -> None:
    for state in RunState:
        assert all(RANK[after] >= RANK[state] for after in run_may(state, verb))


@pytest.mark.parametrize("verb", Verb)
def test_a_job_that_has_ended_stays_as_it_is(verb: Verb) -> None:
    for status in JOB_ENDS:
        assert job_may(status, verb) <= {status}


def test_every_state_can_be_reached_from_the_first() -> None:
    assert _reached(RunState.QUEUED, RUN_MOVES) == set(RunState)
    assert _reached(JobStatus.PENDING, JOB_MOVES) == set(JobStatus)


def _reached(start: T, moves: Mapping[Verb, Mapping[T, frozenset[T]]]) -> set[T]:
    found, news = {start}, {start}
    while news:
        news = {after for by in moves.values() for state in news for after in by.get(state, ())} - found
        found |= news
    return found


def test_only_claim_gives_a_job_to_a_worker() -> None:
    givers = {
        verb
        for verb in Verb
        for status in JobStatus
        if JobStatus.PROCESSING in job_may(status, verb) and status is not JobStatus.PROCESSING
    }
    assert givers == {Verb.CLAIM}


def test_waiting_can_be_ended_from_outside_only() -> None:
    """A job nobody holds is moved by nobody's word: each verb of a worker needs PROCESSING."""
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
        assert [status for status in JobStatus if job_may(status, verb)] == [JobStatus.PROCESSING]
        assert [state for state in RunState if run_may(state, verb)] == [RunState.RUNNING]


def test_what_is_not_in_the_table_is_not_allowed() -> None:
    assert job_may(JobStatus.COMPLETED, Verb.CLAIM) == frozenset()
    assert run_may(RunState.QUEUED, Verb.FINISH) == frozenset()
    assert run_may(RunState.FAILED, Verb.RETRY) == frozenset()
