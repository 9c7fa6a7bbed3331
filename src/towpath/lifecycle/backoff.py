"""Backoff: when a failed attempt is retried and how often an operation is polled. Pure functions."""

from __future__ import annotations

from datetime import datetime, timedelta

BASE_SECONDS = 30.0
LONGEST_SECONDS = 600.0


def backoff_ceiling(attempts: int) -> float:
    """The longest wait in seconds after ``attempts`` earlier failures: min(600, 30 * 2^attempts)."""
    # 2**5 already exceeds the maximum; a larger power would only overflow.
    return min(LONGEST_SECONDS, BASE_SECONDS * 2 ** min(max(attempts, 0), 5))


def retry_at(now: datetime, attempts: int, jitter: float | None, *, scale: float = 1.0) -> datetime:
    """The time of the next attempt: after the ceiling, or with jitter between its half and the whole.

    ``jitter`` is a random number from 0 to 1; None waits exactly as long as the ceiling. ``scale`` shortens every
    wait, for drills and tests.
    """
    share = 1.0 if jitter is None else 0.5 + 0.5 * jitter
    return now + timedelta(seconds=backoff_ceiling(attempts) * share * scale)


def poll_delay(polls: int, *, first: float = 2.0, growth: float = 1.5, longest: float = 60.0) -> float:
    """Seconds until the next poll of an operation that was polled ``polls`` times."""
    return min(longest, first * growth ** min(polls, 32))
