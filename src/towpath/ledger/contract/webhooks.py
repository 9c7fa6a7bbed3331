"""The contract of webhooks: endpoints, and deliveries that are claimed and settled like jobs."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Protocol

from towpath.model.audit import Actor
from towpath.model.webhook import (
    AttemptResult,
    ClaimedDelivery,
    DeliveryStatus,
    WebhookDelivery,
    WebhookEndpoint,
    WebhookEvent,
)


class Webhooks(Protocol):
    """Stores endpoints and deliveries. The ledger queues deliveries in the transaction that ends a run."""

    async def create(
        self,
        org_id: str,
        url: str,
        events: Collection[WebhookEvent],
        description: str,
        now: datetime,
        actor: Actor,
    ) -> tuple[WebhookEndpoint, str]:
        """Create an endpoint; return it with its secret."""
        ...

    async def endpoints(self, org_id: str) -> list[WebhookEndpoint]: ...

    async def delete(self, org_id: str, endpoint_id: str, now: datetime, actor: Actor) -> None:
        """Delete an endpoint with its deliveries."""
        ...

    async def rotate_secret(self, org_id: str, endpoint_id: str, now: datetime, actor: Actor) -> str:
        """Create a new secret and return it. The old one signs as well for 24 hours."""
        ...

    async def deliveries(
        self,
        org_id: str,
        endpoint_id: str,
        *,
        status: DeliveryStatus | None = None,
        before: str | None = None,
        limit: int = 50,
    ) -> list[WebhookDelivery]:
        """The newest deliveries; older than the delivery ``before`` if it is given."""
        ...

    async def replay(
        self,
        org_id: str,
        endpoint_id: str,
        now: datetime,
        actor: Actor,
        *,
        delivery_ids: Sequence[str] | None = None,
    ) -> int:
        """Send these deliveries, or all that failed so far, again with the same message ids; their number."""
        ...

    async def claim(
        self, now: datetime, *, seconds: float, limit: int, per_endpoint: int, busy: Collection[str] = ()
    ) -> list[ClaimedDelivery]:
        """Take due deliveries for ``seconds``; after that any worker may take them. None of ``busy`` endpoints."""
        ...

    async def settle(
        self, delivery: ClaimedDelivery, result: AttemptResult, now: datetime, *, next_at: datetime | None
    ) -> bool:
        """Record an attempt; ``next_at`` is None after the last one. False if the claim was lost."""
        ...

    async def next_due(self) -> datetime | None:
        """When the next pending delivery is due; None if there is none."""
        ...
