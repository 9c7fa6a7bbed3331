"""Limits are shared without a remainder, and a budget keeps the average whatever the size of requests."""

from __future__ import annotations

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from towpath.clock import ManualClock
from towpath.lifecycle.pacing import Budget, Limits


@given(st.integers(0, 50), st.integers(1, 20))
def test_the_shares_of_all_users_add_up_to_the_whole(concurrency: int, users: int) -> None:
    whole = Limits(concurrency, 60.0, 9_000.0)
    shares = [whole.share(place, users) for place in range(users)]
    assert sum(share.concurrency or 0 for share in shares) == concurrency
    assert sum(share.requests_per_minute or 0 for share in shares) == pytest.approx(60.0)
    assert sum(share.tokens_per_minute or 0 for share in shares) == pytest.approx(9_000.0)


def test_what_is_not_limited_is_not_shared() -> None:
    assert Limits().share(1, 3) == Limits()
    assert not Limits().shared


@given(st.lists(st.integers(1, 50_000), min_size=30, max_size=60))
def test_a_budget_keeps_the_average_and_refuses_nothing_for_ever(sizes: list[int]) -> None:
    clock = ManualClock()
    started = clock.now()
    budget = Budget(60_000, started)
    for size in sizes:
        clock.advance(budget.wait(size, clock.now()) + 1e-6)
        assert budget.wait(size, clock.now()) == 0
        budget.take(size)
    minutes = (clock.now() - started) / timedelta(minutes=1)
    # The last request may have overdrawn it; the ones before it were waited off.
    assert sum(sizes[:-1]) <= 60_000 * minutes + 1_001


def test_a_smaller_share_does_not_forget_what_was_used() -> None:
    clock = ManualClock()
    budget = Budget(60, clock.now())
    budget.take(1)
    budget.resize(30, clock.now())
    assert budget.wait(1, clock.now()) == pytest.approx(2.0)
