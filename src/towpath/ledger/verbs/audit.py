"""Writes and reads the rows of the audit table."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import insert, select

from towpath.ledger.columns import strip_unstorable, to_json
from towpath.ledger.database import Transaction
from towpath.ledger.tables import audit
from towpath.model.audit import AuditAction, AuditEntry

_audit = audit.c
_INSERT = insert(audit)


def write_audit(tx: Transaction, entries: Sequence[tuple[str, AuditEntry]], now: datetime) -> None:
    """Add one row for each entry and the organization it belongs to."""
    tx.write(_INSERT, [_row(org_id, entry, now) for org_id, entry in entries])


def read_audit(
    tx: Transaction,
    org_id: str | None,
    *,
    before: int | None,
    action: str | None,
    with_settings: bool,
    limit: int,
) -> list[dict[str, Any]]:
    """The newest rows of one organization, or of all; older than the row ``before`` if it is given."""
    query = select(audit).order_by(_audit.id.desc()).limit(limit)
    if org_id is not None:
        query = query.where(_audit.org_id == org_id)
    if before is not None:
        query = query.where(_audit.id < before)
    if action is not None:
        query = query.where(_audit.action == action)
    if not with_settings:
        query = query.where(_audit.action != AuditAction.SETTINGS_CHANGED)
    rows = tx.connection.execute(query).mappings()
    return [{**row, "detail": to_json(row["detail"])} for row in rows]


def _row(org_id: str, entry: AuditEntry, now: datetime) -> dict[str, object]:
    actor = entry.actor
    return {
        "org_id": org_id,
        "at": now,
        "action": str(entry.action),
        "actor": actor.kind,
        "actor_name": strip_unstorable(actor.name),
        "key_id": actor.key_id,
        "address": actor.address,
        "subject": entry.subject,
        "detail": {
            name: strip_unstorable(value) if isinstance(value, str) else value
            for name, value in entry.detail.items()
        },
    }
