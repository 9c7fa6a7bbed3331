"""Stores webhook endpoints and their deliveries in SQLite or Postgres: implements the contract `Webhooks`."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime, timedelta

from towpath.ledger.database import Database, Transaction
from towpath.ledger.verbs import webhook_deliveries, webhook_endpoints
from towpath.ledger.verbs.audit import write_audit
from towpath.model.audit import Actor, AuditAction, AuditEntry
from towpath.model.webhook import (
    AttemptResult,
    ClaimedDelivery,
    DeliveryStatus,
    WebhookDelivery,
    WebhookEndpoint,
    WebhookEvent,
)


class SqlWebhooks:
    def __init__(self, database: Database) -> None:
        self._database = database

    async def create(
        self,
        org_id: str,
        url: str,
        events: Collection[WebhookEvent],
        description: str,
        now: datetime,
        actor: Actor,
    ) -> tuple[WebhookEndpoint, str]:
        return await self._database.run(
            lambda tx: webhook_endpoints.create(tx, org_id, url, events, description, now, actor), org=org_id
        )

    async def endpoints(self, org_id: str) -> list[WebhookEndpoint]:
        return await self._database.run(
            lambda tx: webhook_endpoints.endpoints(tx, org_id), read=True, org=org_id
        )

    async def delete(self, org_id: str, endpoint_id: str, now: datetime, actor: Actor) -> None:
        await self._database.run(
            lambda tx: webhook_endpoints.delete_endpoint(tx, org_id, endpoint_id, now, actor), org=org_id
        )

    async def rotate_secret(self, org_id: str, endpoint_id: str, now: datetime, actor: Actor) -> str:
        return await self._database.run(
            lambda tx: webhook_endpoints.rotate_secret(tx, org_id, endpoint_id, now, actor), org=org_id
        )

    async def deliveries(
        self,
        org_id: str,
        endpoint_id: str,
        *,
        status: DeliveryStatus | None = None,
        before: str | None = None,
        limit: int = 50,
    ) -> list[WebhookDelivery]:
        def read(tx: Transaction) -> list[WebhookDelivery]:
            webhook_endpoints.require(tx, org_id, endpoint_id)
            return webhook_deliveries.deliveries(tx, org_id, endpoint_id, status, before, limit)

        return await self._database.run(read, read=True, org=org_id)

    async def replay(
        self,
        org_id: str,
        endpoint_id: str,
        now: datetime,
        actor: Actor,
        *,
        delivery_ids: Sequence[str] | None = None,
    ) -> int:
        def write(tx: Transaction) -> int:
            webhook_endpoints.require(tx, org_id, endpoint_id)
            count = webhook_deliveries.replay(tx, org_id, endpoint_id, delivery_ids, now)
            if count:
                entry = AuditEntry(AuditAction.WEBHOOK_REPLAYED, actor, endpoint_id, {"deliveries": count})
                write_audit(tx, [(org_id, entry)], now)
            return count

        return await self._database.run(write, org=org_id)

    async def claim(
        self, now: datetime, *, seconds: float, limit: int, per_endpoint: int, busy: Collection[str] = ()
    ) -> list[ClaimedDelivery]:
        until = now + timedelta(seconds=seconds)
        return await self._database.run(
            lambda tx: webhook_deliveries.claim(tx, now, until, limit, per_endpoint, busy)
        )

    async def settle(
        self, delivery: ClaimedDelivery, result: AttemptResult, now: datetime, *, next_at: datetime | None
    ) -> bool:
        return await self._database.run(
            lambda tx: webhook_deliveries.settle(tx, delivery, result, now, next_at)
        )

    async def next_due(self) -> datetime | None:
        return await self._database.run(webhook_deliveries.next_due, read=True)
