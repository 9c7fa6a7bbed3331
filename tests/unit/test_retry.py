"""When to try again: min(600, 30 * 2^attempts) with full jitter, unless the provider has a wish."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from towpath.lifecycle.retry import backoff_ceiling, poll_delay, retry_at

NOW = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("attempts", "seconds"),
    [(0, 30), (1, 60), (2, 120), (3, 240), (4, 480), (5, 600), (6, 600), (10**9, 600)],
)
def test_the_ceiling_doubles_up_to_ten_minutes(attempts: int, seconds: float) -> None:
    assert backoff_ceiling(attempts) == seconds


def test_a_count_below_nought_is_taken_as_nought() -> None:
    assert backoff_ceiling(-3) == 30


@given(attempts=st.integers(0, 40), luck=st.floats(0, 1), scale=st.floats(0, 1))
def test_the_wait_is_anywhere_below_the_ceiling(attempts: int, luck: float, scale: float) -> None:
    wait = retry_at(NOW, attempts, luck, scale=scale) - NOW
    assert timedelta() <= wait <= timedelta(seconds=backoff_ceiling(attempts) * scale + 0.001)


def test_luck_spreads_over_the_whole_range() -> None:
    assert retry_at(NOW, 2, 0.0) == NOW
    assert retry_at(NOW, 2, 0.5) == NOW + timedelta(seconds=60)
    assert retry_at(NOW, 2, 1.0) == NOW + timedelta(seconds=120)


@pytest.mark.parametrize("wish", [0.0, 3.5, 7200.0])
def test_the_providers_own_wish_wins(wish: float) -> None:
    assert retry_at(NOW, 5, 0.9, provider_wish=wish, scale=0.001) == NOW + timedelta(seconds=wish)


def test_polls_grow_apart_and_stay_bounded() -> None:
    delays = [poll_delay(polls) for polls in range(100)]
    assert delays[0] == 2.0
    assert delays == sorted(delays)
    assert max(delays) == 60.0
    assert poll_delay(10**9) == 60.0
