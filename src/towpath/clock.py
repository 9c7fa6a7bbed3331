"""The owned clock: nothing in Towpath asks the operating system for the time except through here."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Protocol


class Clock(Protocol):
    """Tells the time. Every verb of the ledger takes ``now`` from one of these."""

    def now(self) -> datetime: ...


class SystemClock:
    """The machine's own wall clock, in UTC, corrected by what the database's clock says."""

    def __init__(self, ahead_by: timedelta = timedelta()) -> None:
        self._ahead_by = ahead_by

    def now(self) -> datetime:
        return datetime.now(UTC) + self._ahead_by


class ManualClock:
    """A clock that stands still until it is told to move: for tests and replays."""

    def __init__(self, start: datetime | None = None) -> None:
        self._now = start or datetime(2026, 1, 1, tzinfo=UTC)

    def now(self) -> datetime:
        return self._now

    def advance(self, seconds: float) -> datetime:
        self._now += timedelta(seconds=seconds)
        return self._now
