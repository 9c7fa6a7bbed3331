"""When to try again: pure functions of what is known, and of a random number given from outside."""

from __future__ import annotations

from datetime import datetime, timedelta

BASE_SECONDS = 30.0
LONGEST_SECONDS = 600.0


def backoff_ceiling(attempts: int) -> float:
    """The longest wait after this many attempts have failed before: min(600, 30 * 2^attempts)."""
    # 2**5 already passes the cap; a larger power would only overflow.
    return min(LONGEST_SECONDS, BASE_SECONDS * 2 ** min(max(attempts, 0), 5))


def retry_at(
    now: datetime, attempts: int, luck: float, *, provider_wish: float | None = None, scale: float = 1.0
) -> datetime:
    """Full jitter: anywhere between now and the ceiling; a provider's own Retry-After wins.

    ``luck`` is a number from 0 to 1. ``scale`` shrinks every wait alike, for drills and tests.
    """
    if provider_wish is not None:
        return now + timedelta(seconds=provider_wish)
    return now + timedelta(seconds=backoff_ceiling(attempts) * luck * scale)


def poll_delay(polls: int, *, first: float = 2.0, growth: float = 1.5, longest: float = 60.0) -> float:
    """How long to wait before asking again for an operation that was asked ``polls`` times."""
    return min(longest, first * growth ** min(polls, 32))
