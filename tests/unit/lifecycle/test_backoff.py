"""When to try again: min(600, 30 * 2^attempts) seconds, exactly or with equal jitter."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from towpath.lifecycle.backoff import backoff_ceiling, poll_delay, retry_at

NOW = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("attempts", "seconds"),
    [(0, 30), (1, 60), (2, 120), (3, 240), (4, 480), (5, 600), (6, 600), (10**9, 600)],
)
def test_the_ceiling_doubles_up_to_ten_minutes(attempts: int, seconds: float) -> None:
    assert backoff_ceiling(attempts) == seconds


def test_a_negative_count_is_taken_as_zero() -> None:
    assert backoff_ceiling(-3) == 30


@given(attempts=st.integers(0, 40), jitter=st.floats(0, 1), scale=st.floats(0, 1))
def test_the_wait_is_between_half_of_the_ceiling_and_the_whole(
    attempts: int, jitter: float, scale: float
) -> None:
    wait = (retry_at(NOW, attempts, jitter, scale=scale) - NOW).total_seconds()
    ceiling = backoff_ceiling(attempts) * scale
    assert ceiling / 2 - 0.001 <= wait <= ceiling + 0.001


def test_jitter_spreads_over_the_upper_half() -> None:
    assert retry_at(NOW, 2, 0.0) == NOW + timedelta(seconds=60)
    assert retry_at(NOW, 2, 0.5) == NOW + timedelta(seconds=90)
    assert retry_at(NOW, 2, 1.0) == NOW + timedelta(seconds=120)


@pytest.mark.parametrize("attempts", range(8))
def test_without_jitter_the_wait_is_exactly_the_ceiling(attempts: int) -> None:
    assert retry_at(NOW, attempts, None) == NOW + timedelta(seconds=min(600, 30 * 2**attempts))


def test_poll_delays_grow_up_to_a_limit() -> None:
    delays = [poll_delay(polls) for polls in range(100)]
    assert delays[0] == 2.0
    assert delays == sorted(delays)
    assert max(delays) == 60.0
    assert poll_delay(10**9) == 60.0
