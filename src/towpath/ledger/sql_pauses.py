"""Stores the pauses of stages and providers in SQLite or Postgres: implements the contract `PauseStore`."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import delete, insert, select, update

from towpath.errors import NotFound
from towpath.ledger.columns import strip_unstorable, to_instant
from towpath.ledger.contract.pauses import Pause, PauseKind
from towpath.ledger.database import Database, Transaction
from towpath.ledger.tables import document_processing_jobs, pauses
from towpath.ledger.verbs.audit import write_audit
from towpath.ledger.verbs.queue_run import NOT_WAITING
from towpath.model.audit import Actor, AuditAction, AuditEntry
from towpath.model.job import JobStatus, WaitingReason

_pauses, _jobs = pauses.c, document_processing_jobs.c


class SqlPauses:
    def __init__(self, database: Database) -> None:
        self._database = database

    async def all(self) -> list[Pause]:
        return await self._database.run(_all, read=True)

    async def pause(self, kind: PauseKind, name: str, now: datetime, *, org_id: str, actor: Actor) -> Pause:
        return await self._database.run(lambda tx: _pause(tx, kind, name, now, org_id, actor))

    async def resume(self, kind: PauseKind, name: str, now: datetime, *, org_id: str, actor: Actor) -> None:
        await self._database.run(lambda tx: _resume(tx, kind, name, now, org_id, actor))


def _all(tx: Transaction) -> list[Pause]:
    rows = tx.connection.execute(select(pauses).order_by(_pauses.kind, _pauses.name))
    return [Pause(PauseKind(row.kind), row.name, to_instant(row.paused_at), row.paused_by) for row in rows]


def _pause(tx: Transaction, kind: PauseKind, name: str, now: datetime, org_id: str, actor: Actor) -> Pause:
    for existing in _all(tx):
        if (existing.kind, existing.name) == (kind, name):
            return existing
    pause = Pause(kind, name, now, strip_unstorable(actor.name or actor.kind))
    tx.connection.execute(
        insert(pauses).values(kind=kind, name=name, paused_at=now, paused_by=pause.paused_by)
    )
    entry = AuditEntry(AuditAction.PAUSED, actor, detail={"kind": kind, "name": name})
    write_audit(tx, [(org_id, entry)], now)
    return pause


def _resume(tx: Transaction, kind: PauseKind, name: str, now: datetime, org_id: str, actor: Actor) -> None:
    removed = tx.connection.execute(delete(pauses).where(_pauses.kind == kind, _pauses.name == name))
    if not removed.rowcount:
        raise NotFound(f"The {kind} {name} is not paused.")
    waits = (
        (_jobs.stage == name) & _jobs.waiting_provider.is_(None)
        if kind is PauseKind.STAGE
        else _jobs.waiting_provider == name
    )
    tx.connection.execute(
        update(document_processing_jobs)
        .where(_jobs.status == JobStatus.PENDING, _jobs.waiting_reason == WaitingReason.PAUSED, waits)
        .values(available_at=now, updated_at=now, **NOT_WAITING)
    )
    entry = AuditEntry(AuditAction.RESUMED, actor, detail={"kind": kind, "name": name})
    write_audit(tx, [(org_id, entry)], now)
