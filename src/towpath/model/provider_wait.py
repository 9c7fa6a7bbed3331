"""How long a job has waited for a provider that throttles or refuses, stored in the job's payload.

The payload survives claims, so that the reason stays visible while a worker tries the call again.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import cast

from towpath.model.job import WaitingReason
from towpath.model.json_types import Json

#: The key in the payload, and what is documented about it.
KEY = "provider_wait"
ARGUMENT = (
    dict,
    "The provider that throttles or refuses, the reason, since when, and when it was last logged.",
)

#: The reasons that use up the patience with a provider.
REASONS = frozenset({WaitingReason.PROVIDER_THROTTLED, WaitingReason.PROVIDER_REFUSED})
#: A wait for one cause is written to the error log at most once in this time.
LOG_INTERVAL = timedelta(minutes=1)


@dataclass(frozen=True, slots=True)
class ProviderWait:
    """The provider that a job waits for, why, since when, and when that was last logged."""

    provider: str
    reason: WaitingReason
    run_id: str
    since: datetime
    logged_at: datetime | None = None
    detail: str | None = None

    @staticmethod
    def read(payload: Json) -> ProviderWait | None:
        stored = cast("dict[str, str | None]", payload.get(KEY) or {})
        if not stored:
            return None
        logged_at = stored.get("logged_at")
        return ProviderWait(
            str(stored["provider"]),
            WaitingReason(str(stored["reason"])),
            str(stored["run"]),
            datetime.fromisoformat(str(stored["since"])),
            None if logged_at is None else datetime.fromisoformat(logged_at),
            stored.get("detail"),
        )

    def write(self, payload: Json) -> Json:
        """The payload with this wait; its other arguments are kept."""
        stored = {
            "provider": self.provider,
            "reason": self.reason,
            "run": self.run_id,
            "since": self.since.isoformat(),
            "logged_at": None if self.logged_at is None else self.logged_at.isoformat(),
            "detail": self.detail,
        }
        return {**payload, KEY: stored}

    def continues(self, other: ProviderWait) -> bool:
        """Whether ``other`` is the same wait: for the same provider, in the same run. The reason may change."""
        return (self.provider, self.run_id) == (other.provider, other.run_id)

    def is_logged(self, now: datetime, reason: WaitingReason) -> bool:
        """Whether this cause was logged within the last minute."""
        return self.reason is reason and self.logged_at is not None and now - self.logged_at < LOG_INTERVAL

    def logged(self, now: datetime) -> ProviderWait:
        return replace(self, logged_at=now)


def without_wait(payload: Json) -> Json:
    """The payload without a wait: the provider has answered."""
    return {name: value for name, value in payload.items() if name != KEY}
