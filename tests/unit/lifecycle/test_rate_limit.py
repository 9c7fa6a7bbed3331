"""Shares of a limit add up to the limit, and a token bucket keeps the average rate for any request size."""

from __future__ import annotations

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from towpath.clock import ManualClock
from towpath.lifecycle.rate_limit import Limits, TokenBucket


@given(st.integers(0, 50), st.integers(1, 20))
def test_the_shares_of_all_users_add_up_to_the_whole(concurrency: int, users: int) -> None:
    whole = Limits(concurrency, 60.0, 9_000.0)
    shares = [whole.share(index, users) for index in range(users)]
    assert sum(share.concurrency or 0 for share in shares) == concurrency
    assert sum(share.requests_per_minute or 0 for share in shares) == pytest.approx(60.0)
    assert sum(share.tokens_per_minute or 0 for share in shares) == pytest.approx(9_000.0)


def test_a_missing_limit_is_not_shared() -> None:
    assert Limits().share(1, 3) == Limits()
    assert not Limits().shared


@given(st.lists(st.integers(1, 50_000), min_size=30, max_size=60))
def test_a_token_bucket_keeps_the_average_and_admits_every_request(sizes: list[int]) -> None:
    clock = ManualClock()
    started = clock.now()
    bucket = TokenBucket(60_000, started)
    for size in sizes:
        clock.advance(bucket.wait(size, clock.now()) + 1e-6)
        assert bucket.wait(size, clock.now()) == 0
        bucket.take(size)
    minutes = (clock.now() - started) / timedelta(minutes=1)
    # The last request may exceed the limit; the wait for the earlier ones is over.
    assert sum(sizes[:-1]) <= 60_000 * minutes + 1_001


def test_a_smaller_share_keeps_the_used_tokens() -> None:
    clock = ManualClock()
    bucket = TokenBucket(60, clock.now())
    bucket.take(1)
    bucket.resize(30, clock.now())
    assert bucket.wait(1, clock.now()) == pytest.approx(2.0)
