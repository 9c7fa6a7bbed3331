"""PollState: reads and writes the state of a wait in a job's payload."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from towpath.model.job_payload import ARGUMENTS
from towpath.model.poll_state import PollLimits, PollState

NOW = datetime(2026, 11, 17, 12, 0, tzinfo=UTC)
LATER = NOW + timedelta(minutes=1)


def test_an_empty_payload_starts_a_wait() -> None:
    state = PollState.read({}, "run", NOW)
    assert (state.since, state.polls, state.resumed, state.operation_id) == (NOW, 0, False, None)


def test_a_written_state_is_read_back_and_other_arguments_are_kept() -> None:
    state = PollState.read({}, "run", NOW).of_operation("operation", NOW).increment()
    payload = state.write({"windows_done": 3})
    again = PollState.read(payload, "run", LATER)
    assert payload["windows_done"] == 3
    assert (again.since, again.polls, again.operation_id, again.operation_since) == (NOW, 1, "operation", NOW)
    assert again.resumed


def test_every_written_key_is_documented() -> None:
    payload = PollState.read({}, "run", NOW).of_operation("operation", NOW).write({})
    for stage in ("extract", "transcribe_poll", "analyze"):
        assert set(payload) <= set(ARGUMENTS[stage])


def test_the_operation_stored_by_version_0_1_0_is_read_and_written_under_its_new_name() -> None:
    old = {"polls": 4, "asking": {"operation": "operation", "since": NOW.isoformat()}}
    state = PollState.read(old, "run", LATER)
    assert (state.since, state.polls, state.operation_id, state.operation_since) == (NOW, 4, "operation", NOW)
    assert state.of_operation("operation", LATER) == state
    assert "asking" not in state.write(old)


def test_a_new_run_starts_a_new_wait() -> None:
    payload = PollState.read({}, "run", NOW).of_operation("operation", NOW).increment().write({})
    state = PollState.read(payload, "another run", LATER)
    assert (state.since, state.polls, state.operation_since, state.resumed) == (LATER, 0, None, True)


def test_a_new_operation_is_timed_from_its_first_poll_and_the_wait_goes_on() -> None:
    state = (
        PollState.read({}, "run", NOW).of_operation("first", NOW).increment().of_operation("second", LATER)
    )
    assert (state.since, state.polls, state.operation_since) == (NOW, 1, LATER)


def test_time_and_polls_are_limited_separately() -> None:
    state = PollState.read({}, "run", NOW).increment()
    assert state.exhausted_after(LATER, PollLimits(61, 2)) is None
    assert (
        state.exhausted_after(LATER, PollLimits(60, 2))
        == "60 seconds and 1 polls (transcript_timeout_seconds = 60)"
    )
    assert (
        state.exhausted_after(LATER, PollLimits(61, 1)) == "60 seconds and 1 polls (transcript_max_polls = 1)"
    )
