"""Queues webhook deliveries of ended runs, in the transaction that ends them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any, cast

from sqlalchemy import Row, insert, select

from towpath.ledger.columns import dump, to_text
from towpath.ledger.database import Transaction
from towpath.ledger.tables import documents, processing_runs, webhook_deliveries, webhook_endpoints
from towpath.model.ids import new_id
from towpath.model.run import RunState
from towpath.model.webhook import DeliveryStatus, WebhookEvent, message_id

_runs, _documents, _endpoints = processing_runs.c, documents.c, webhook_endpoints.c


def queue_deliveries(tx: Transaction, run_ids: Collection[str], now: datetime) -> int:
    """Queue one delivery for each endpoint and event of these runs; call it after runs that continue them are queued.

    Costs one short statement if there are no endpoints.
    """
    if not run_ids or not tx.run("has_webhook_endpoints"):
        return 0
    query: Any = (
        select(
            *(_runs.id, _runs.org_id, _runs.document_id, _runs.state, _runs.failure_type, _runs.error),
            *(_documents.name, _documents.kind, _documents.media_type, _documents.size, _documents.status),
            _endpoints.id.label("endpoint_id"),
            _endpoints.events,
        )
        .join(documents, _documents.id == _runs.document_id)
        .join(webhook_endpoints, _endpoints.org_id == _runs.org_id)
        .where(_runs.id.in_(sorted(run_ids)))
        .order_by(_runs.id, _endpoints.id)
    )
    rows = [
        _delivery(row, event, now)
        for row in tx.connection.execute(query)
        for event in _events(row)
        if event in cast("list[str]", row.events)
    ]
    if rows:
        tx.connection.execute(insert(webhook_deliveries), rows)
    return len(rows)


def _events(row: Row[Any]) -> Sequence[WebhookEvent]:
    if row.state == RunState.COMPLETED:
        completed = WebhookEvent.DOCUMENT_COMPLETED
        return (completed, WebhookEvent.CALL_ANALYZED) if row.kind == "call" else (completed,)
    # A document that another run processes now has another status.
    failed = row.state in (RunState.FAILED, RunState.TIMED_OUT) and row.status == row.state
    return (WebhookEvent.DOCUMENT_FAILED,) if failed else ()


def _delivery(row: Row[Any], event: WebhookEvent, now: datetime) -> dict[str, object]:
    data: dict[str, object] = {
        "document_id": str(row.document_id),
        "run_id": str(row.id),
        "name": row.name,
        "kind": row.kind,
        "media_type": row.media_type,
        "size": row.size,
        "status": row.state,
    }
    if event is WebhookEvent.DOCUMENT_FAILED:
        data |= {"failure_type": row.failure_type, "error": row.error}
    return {
        "id": new_id(),
        "org_id": str(row.org_id),
        "endpoint_id": str(row.endpoint_id),
        "document_id": str(row.document_id),
        "run_id": str(row.id),
        "message_id": message_id(str(row.id), event),
        "event": event,
        "body": dump({"type": event, "timestamp": to_text(now), "data": data}),
        "status": DeliveryStatus.PENDING,
        "attempts": 0,
        "epoch": 0,
        "next_attempt_at": now,
        "created_at": now,
        "history": [],
    }
