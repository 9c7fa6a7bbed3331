"""Creates, lists, rotates and deletes the webhook endpoints of an organization."""

from __future__ import annotations

import base64
import secrets
from collections.abc import Collection
from datetime import datetime, timedelta
from typing import Any, cast

from sqlalchemy import Row, delete, func, insert, select, update

from towpath.errors import NotFound, UserError
from towpath.ledger.columns import strip_unstorable, to_instant, to_instant_or_none
from towpath.ledger.database import Transaction
from towpath.ledger.tables import webhook_endpoints
from towpath.ledger.verbs.audit import write_audit
from towpath.model.audit import Actor, AuditAction, AuditEntry
from towpath.model.ids import is_id, new_id
from towpath.model.webhook import WebhookEndpoint, WebhookEvent

_endpoints = webhook_endpoints.c
#: How long the secret before a rotation signs as well.
OVERLAP = timedelta(hours=24)
#: Endpoints of one organization: each event is delivered to every one of them.
MAX_ENDPOINTS = 20


def new_secret() -> str:
    """A secret as Standard Webhooks writes it: `whsec_` and the base64 of 32 random bytes."""
    return f"whsec_{base64.b64encode(secrets.token_bytes(32)).decode()}"


def create(
    tx: Transaction,
    org_id: str,
    url: str,
    events: Collection[WebhookEvent],
    description: str,
    now: datetime,
    actor: Actor,
) -> tuple[WebhookEndpoint, str]:
    count = select(func.count()).select_from(webhook_endpoints).where(_endpoints.org_id == org_id)
    if tx.connection.execute(count).scalar_one() >= MAX_ENDPOINTS:
        raise UserError(f"An organization has at most {MAX_ENDPOINTS} webhook endpoints. Delete one first.")
    ordered = tuple(event for event in WebhookEvent if event in events)
    endpoint = WebhookEndpoint(new_id(), org_id, url, ordered, strip_unstorable(description), now)
    secret = new_secret()
    tx.connection.execute(
        insert(webhook_endpoints).values(
            id=endpoint.id,
            org_id=org_id,
            url=url,
            events=list(ordered),
            description=endpoint.description,
            secret=secret,
            created_at=now,
            updated_at=now,
        )
    )
    entry = AuditEntry(AuditAction.WEBHOOK_CREATED, actor, endpoint.id, {"url": url, "events": list(ordered)})
    write_audit(tx, [(org_id, entry)], now)
    return endpoint, secret


def endpoints(tx: Transaction, org_id: str) -> list[WebhookEndpoint]:
    query = select(webhook_endpoints).where(_endpoints.org_id == org_id).order_by(_endpoints.id)
    return [_endpoint(row) for row in tx.connection.execute(query)]


def require(tx: Transaction, org_id: str, endpoint_id: str) -> WebhookEndpoint:
    query = select(webhook_endpoints).where(_endpoints.org_id == org_id, _endpoints.id == endpoint_id)
    row = tx.connection.execute(query).one_or_none() if is_id(endpoint_id) else None
    if row is None:
        raise NotFound(f"There is no webhook endpoint {endpoint_id}.")
    return _endpoint(row)


def delete_endpoint(tx: Transaction, org_id: str, endpoint_id: str, now: datetime, actor: Actor) -> None:
    endpoint = require(tx, org_id, endpoint_id)
    tx.connection.execute(delete(webhook_endpoints).where(_endpoints.id == endpoint_id))
    entry = AuditEntry(AuditAction.WEBHOOK_DELETED, actor, endpoint_id, {"url": endpoint.url})
    write_audit(tx, [(org_id, entry)], now)


def rotate_secret(tx: Transaction, org_id: str, endpoint_id: str, now: datetime, actor: Actor) -> str:
    require(tx, org_id, endpoint_id)
    secret = new_secret()
    tx.connection.execute(
        update(webhook_endpoints)
        .where(_endpoints.id == endpoint_id)
        .values(
            secret=secret,
            previous_secret=_endpoints.secret,
            previous_secret_until=now + OVERLAP,
            updated_at=now,
        )
    )
    write_audit(tx, [(org_id, AuditEntry(AuditAction.WEBHOOK_ROTATED, actor, endpoint_id))], now)
    return secret


def _endpoint(row: Row[Any]) -> WebhookEndpoint:
    return WebhookEndpoint(
        id=str(row.id),
        org_id=str(row.org_id),
        url=row.url,
        events=tuple(WebhookEvent(event) for event in cast("list[str]", row.events)),
        description=row.description,
        created_at=to_instant(row.created_at),
        previous_secret_until=to_instant_or_none(row.previous_secret_until),
    )
