"""Tests of the arguments in a job's payload that model/job_payload.py interprets."""

from __future__ import annotations

import pytest

from towpath.model.job_payload import FORCED, as_waiting, is_forced, windows_done


@pytest.mark.parametrize("name", [FORCED, "by_hand"])
def test_a_forced_job_is_recognized_under_both_stored_names(name: str) -> None:
    """Version 0.1.0 stored the argument as `by_hand`."""
    assert is_forced({name: True, "polls": 3})


@pytest.mark.parametrize("payload", [{}, {"polls": 3}, {FORCED: False}])
def test_a_job_without_the_argument_is_not_forced(payload: dict[str, object]) -> None:
    assert not is_forced(payload)


@pytest.mark.parametrize("name", [FORCED, "by_hand"])
def test_a_job_that_goes_back_to_the_queue_is_no_longer_forced(name: str) -> None:
    assert as_waiting({name: True, "polls": 3}) == {"polls": 3}


@pytest.mark.parametrize("name", ["windows_done", "heard"])
def test_the_finished_windows_are_read_under_both_stored_names(name: str) -> None:
    """Version 0.1.0 stored the argument as `heard`."""
    assert windows_done({name: 3}) == 3
    assert windows_done({}) is None
