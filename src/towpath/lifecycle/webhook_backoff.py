"""When a failed webhook delivery is attempted again. Pure functions."""

from __future__ import annotations

from datetime import datetime, timedelta

#: Attempts of one delivery: the last is made 8 to 17 hours after the first.
MAX_ATTEMPTS = 11
FIRST_SECONDS = 5.0
GROWTH = 3.0
LONGEST_SECONDS = 6 * 3600.0


def next_attempt_at(
    now: datetime, attempts: int, jitter: float, *, retry_after: float | None = None, scale: float = 1.0
) -> datetime:
    """The time of the next attempt after ``attempts`` failed ones: between half and all of 5 · 3^(attempts-1) s.

    ``jitter`` is a random number from 0 to 1. A Retry-After of the receiver counts if it is longer, up to six
    hours. ``scale`` shortens every other wait, for drills and tests.
    """
    ceiling = min(LONGEST_SECONDS, FIRST_SECONDS * GROWTH ** min(attempts - 1, 20))
    wait = ceiling * (0.5 + 0.5 * jitter) * scale
    if retry_after is not None:
        wait = max(wait, min(retry_after, LONGEST_SECONDS))
    return now + timedelta(seconds=wait)
