"""Rate limits of a provider: the limits, one worker's share of them, and a token bucket."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of a provider for all workers together; None means no limit of our own."""

    concurrency: int | None = None
    requests_per_minute: float | None = None
    tokens_per_minute: float | None = None

    @property
    def shared(self) -> bool:
        """Whether there is a limit to divide between workers."""
        return (self.concurrency, self.requests_per_minute, self.tokens_per_minute) != (None, None, None)

    def share(self, index: int, users: int) -> Limits:
        """The share of user ``index`` (from 0) of ``users``. The shares add up to the limits exactly."""
        calls = self.concurrency
        return Limits(
            None if calls is None else calls // users + (index < calls % users),
            None if self.requests_per_minute is None else self.requests_per_minute / users,
            None if self.tokens_per_minute is None else self.tokens_per_minute / users,
        )


class TokenBucket:
    """A token bucket that holds the tokens of one second, or ``burst`` tokens; at least one token.

    A request larger than the bucket waits until the bucket is full and overdraws it; later requests wait until
    the debt is paid. So a large request is not refused for ever, and the average rate holds.
    """

    def __init__(self, per_minute: float, now: datetime, burst: float | None = None) -> None:
        self._rate = per_minute / 60
        self._capacity = max(1.0, self._rate if burst is None else burst)
        self._level = self._capacity
        self._filled_at = now

    def resize(self, per_minute: float, now: datetime) -> None:
        """Change the rate; the tokens already used stay used."""
        self._fill(now)
        self._rate = per_minute / 60
        self._capacity = max(1.0, self._rate)
        self._level = min(self._level, self._capacity)

    def wait(self, amount: float, now: datetime) -> float:
        """Seconds until ``amount`` tokens may be taken."""
        self._fill(now)
        missing = min(amount, self._capacity) - self._level
        return 0.0 if missing <= 0 else missing / self._rate if self._rate else float("inf")

    def take(self, amount: float) -> None:
        self._level -= amount

    def seconds_for(self, amount: float) -> float:
        """Seconds in which ``amount`` tokens are added."""
        return amount / self._rate if self._rate else float("inf")

    def _fill(self, now: datetime) -> None:
        elapsed = max(0.0, (now - self._filled_at).total_seconds())
        self._level = min(self._capacity, self._level + elapsed * self._rate)
        self._filled_at = now
