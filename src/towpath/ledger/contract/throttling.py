"""The throttle state of a provider, and a worker's share of the provider's limits."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from towpath.model.job import WaitingReason

NEVER_CHANGED = datetime.min.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class ProviderThrottle:
    """Until when a provider must not be called, and the asking worker's share of the provider's limits."""

    throttled_until: datetime | None
    reason: WaitingReason | None
    detail: str
    share_index: int
    share_count: int
    since: datetime
    """When the asking worker got its share."""
    changed_at: datetime = NEVER_CHANGED
    """When the provider was last throttled or resumed."""
