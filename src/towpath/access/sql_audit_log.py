"""Writes and lists entries of the audit log in the database."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from functools import partial
from typing import Any

from towpath.ledger.database import Database
from towpath.ledger.verbs.audit import read_audit, write_audit
from towpath.model.audit import AuditEntry


class SqlAuditLog:
    def __init__(self, database: Database) -> None:
        self._database = database

    async def record(self, org_id: str, entries: Sequence[AuditEntry], now: datetime) -> None:
        rows = [(org_id, entry) for entry in entries]
        await self._database.run(lambda tx: write_audit(tx, rows, now), org=org_id)

    async def entries(
        self,
        org_id: str | None,
        *,
        before: int | None,
        action: str | None,
        with_settings: bool,
        limit: int,
    ) -> list[dict[str, Any]]:
        read = partial(
            read_audit,
            org_id=org_id,
            before=before,
            action=action,
            with_settings=with_settings,
            limit=limit,
        )
        return await self._database.run(read, read=True, org=org_id)
