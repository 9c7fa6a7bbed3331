"""Claims and settles webhook deliveries, lists them and sends them again."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any, cast

from sqlalchemy import Row, func, or_, select, update

from towpath.ledger.columns import dump, to_instant, to_instant_or_none, to_text
from towpath.ledger.database import Transaction
from towpath.ledger.tables import webhook_deliveries, webhook_endpoints
from towpath.model.ids import is_id
from towpath.model.json_types import Json
from towpath.model.webhook import (
    AttemptResult,
    ClaimedDelivery,
    DeliveryStatus,
    WebhookDelivery,
    WebhookEvent,
)

_deliveries, _endpoints = webhook_deliveries.c, webhook_endpoints.c
#: Attempts in the history of one delivery; replays add to it.
HISTORY_LIMIT = 50


def claim(
    tx: Transaction, now: datetime, until: datetime, limit: int, per_endpoint: int, busy: Collection[str]
) -> list[ClaimedDelivery]:
    rows = tx.run(
        "claim_deliveries",
        now=now,
        until=until,
        limit=limit,
        per_endpoint=per_endpoint,
        busy=dump(sorted(busy)),
    )
    if not rows:
        return []
    query = (
        select(
            webhook_deliveries,
            *(
                _endpoints.url,
                _endpoints.secret,
                _endpoints.previous_secret,
                _endpoints.previous_secret_until,
            ),
        )
        .join(webhook_endpoints, _endpoints.id == _deliveries.endpoint_id)
        .where(_deliveries.id.in_([str(row.id) for row in rows]))
        .order_by(_deliveries.id)
    )
    return [_claimed(row, now) for row in tx.connection.execute(query)]


def _claimed(row: Row[Any], now: datetime) -> ClaimedDelivery:
    overlap = to_instant_or_none(row.previous_secret_until)
    previous = (row.previous_secret,) if overlap is not None and overlap > now else ()
    return ClaimedDelivery(
        id=str(row.id),
        epoch=row.epoch,
        endpoint_id=str(row.endpoint_id),
        message_id=row.message_id,
        url=row.url,
        body=row.body,
        secrets=(row.secret, *previous),
        attempts=row.attempts,
    )


def settle(
    tx: Transaction,
    delivery: ClaimedDelivery,
    result: AttemptResult,
    now: datetime,
    next_at: datetime | None,
) -> bool:
    held = (
        _deliveries.id == delivery.id,
        _deliveries.epoch == delivery.epoch,
        _deliveries.status == DeliveryStatus.PENDING,
    )
    row = tx.connection.execute(select(_deliveries.history).where(*held).with_for_update()).one_or_none()
    if row is None:
        return False
    attempt: Json = {
        "at": to_text(now),
        "http_status": result.http_status,
        "error": result.error,
        "duration_ms": result.duration_ms,
    }
    if result.error is None:
        status = DeliveryStatus.DELIVERED
    else:
        status = DeliveryStatus.FAILED if next_at is None else DeliveryStatus.PENDING
    pending = status is DeliveryStatus.PENDING
    tx.connection.execute(
        update(webhook_deliveries)
        .where(*held)
        .values(
            status=status,
            attempts=delivery.attempts + 1,
            next_attempt_at=next_at if pending else None,
            completed_at=None if pending else now,
            history=[*cast("list[Json]", row.history), attempt][-HISTORY_LIMIT:],
        )
    )
    return True


def next_due(tx: Transaction) -> datetime | None:
    query = select(func.min(_deliveries.next_attempt_at)).where(_deliveries.status == DeliveryStatus.PENDING)
    return to_instant_or_none(tx.connection.execute(query).scalar_one())


def deliveries(
    tx: Transaction,
    org_id: str,
    endpoint_id: str,
    status: DeliveryStatus | None,
    before: str | None,
    limit: int,
) -> list[WebhookDelivery]:
    query = (
        select(webhook_deliveries)
        .where(_deliveries.org_id == org_id, _deliveries.endpoint_id == endpoint_id)
        .order_by(_deliveries.id.desc())
        .limit(limit)
    )
    if status is not None:
        query = query.where(_deliveries.status == status)
    if before is not None:
        query = query.where(_deliveries.id < before)
    return [_delivery(row) for row in tx.connection.execute(query)]


def _delivery(row: Row[Any]) -> WebhookDelivery:
    return WebhookDelivery(
        id=str(row.id),
        endpoint_id=str(row.endpoint_id),
        document_id=str(row.document_id),
        run_id=str(row.run_id),
        message_id=row.message_id,
        event=WebhookEvent(row.event),
        body=row.body,
        status=DeliveryStatus(row.status),
        attempts=row.attempts,
        next_attempt_at=to_instant_or_none(row.next_attempt_at),
        created_at=to_instant(row.created_at),
        completed_at=to_instant_or_none(row.completed_at),
        history=tuple(cast("list[Json]", row.history)),
    )


def replay(
    tx: Transaction, org_id: str, endpoint_id: str, delivery_ids: Sequence[str] | None, now: datetime
) -> int:
    """Make these deliveries, or all not delivered, due now with a full number of attempts; untried ones stay."""
    wanted = (
        _deliveries.status != DeliveryStatus.DELIVERED
        if delivery_ids is None
        else _deliveries.id.in_([item for item in delivery_ids if is_id(item)])
    )
    replayed = tx.connection.execute(
        update(webhook_deliveries)
        .where(_deliveries.org_id == org_id, _deliveries.endpoint_id == endpoint_id, wanted)
        .where(or_(_deliveries.status != DeliveryStatus.PENDING, _deliveries.attempts > 0))
        .values(
            status=DeliveryStatus.PENDING,
            attempts=0,
            epoch=_deliveries.epoch + 1,
            next_attempt_at=now,
            completed_at=None,
        )
    )
    return replayed.rowcount
