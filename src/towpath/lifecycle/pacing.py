"""How fast a provider may be asked: limits, a worker's share of them, and a budget that fills with time."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Limits:
    """What all workers together may ask of a provider; None leaves it to the provider to complain."""

    concurrency: int | None = None
    requests_per_minute: float | None = None
    tokens_per_minute: float | None = None

    @property
    def shared(self) -> bool:
        """Whether there is anything to divide between workers."""
        return (self.concurrency, self.requests_per_minute, self.tokens_per_minute) != (None, None, None)

    def share(self, place: int, users: int) -> Limits:
        """The part of the ``place``-th (from 0) of so many users. The parts add up to the whole, exactly."""
        calls = self.concurrency
        return Limits(
            None if calls is None else calls // users + (place < calls % users),
            None if self.requests_per_minute is None else self.requests_per_minute / users,
            None if self.tokens_per_minute is None else self.tokens_per_minute / users,
        )


class Budget:
    """An allowance that fills steadily and holds one second's worth, or one.

    What is larger than that waits for a full budget and overdraws it; the debt is waited off by those
    who come after. So a large request is never refused for ever, and the average stays.
    """

    def __init__(self, per_minute: float, now: datetime) -> None:
        self._rate = per_minute / 60
        self._most = max(1.0, self._rate)
        self._level = self._most
        self._at = now

    def resize(self, per_minute: float, now: datetime) -> None:
        """Another share from now on; what was used is not forgotten."""
        self._fill(now)
        self._rate = per_minute / 60
        self._most = max(1.0, self._rate)
        self._level = min(self._level, self._most)

    def wait(self, amount: float, now: datetime) -> float:
        """Seconds until so much may be taken."""
        self._fill(now)
        lacking = min(amount, self._most) - self._level
        return 0.0 if lacking <= 0 else lacking / self._rate if self._rate else float("inf")

    def take(self, amount: float) -> None:
        self._level -= amount

    def seconds_for(self, amount: float) -> float:
        """How long the allowance takes to yield so much."""
        return amount / self._rate if self._rate else float("inf")

    def _fill(self, now: datetime) -> None:
        passed = max(0.0, (now - self._at).total_seconds())
        self._level = min(self._most, self._level + passed * self._rate)
        self._at = now
