"""Stores and lists the live workers: each worker updates its own row regularly, also while it is idle."""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlalchemy import delete

from towpath.ledger.columns import dump, strip_unstorable
from towpath.ledger.contract.ledger import BusyWorker, WorkerInfo
from towpath.ledger.database import Transaction
from towpath.ledger.tables import workers

#: A worker that was not seen for this long counts as dead.
WORKER_TIMEOUT = timedelta(minutes=2)


def register(tx: Transaction, worker: WorkerInfo, now: datetime) -> None:
    tx.run(
        "register_worker",
        id=worker.id,
        host=strip_unstorable(worker.host),
        pid=worker.pid,
        slots=worker.slots,
        stages=dump(list(worker.stages)),
        settings=dump(worker.settings),
        session_lock=worker.session_lock,
        started=worker.started_at,
        now=now,
        not_seen_since=now - WORKER_TIMEOUT,
    )


def deregister(tx: Transaction, worker_id: str) -> None:
    tx.connection.execute(delete(workers).where(workers.c.id == worker_id))


def deregister_all(tx: Transaction) -> None:
    """Remove all workers: at the start of the embedded server no other worker can be alive."""
    tx.connection.execute(delete(workers))


def busy(tx: Transaction, except_for: str) -> list[BusyWorker]:
    rows = tx.run("busy_workers", worker=except_for)
    return [BusyWorker(str(row.id), bool(row.connected)) for row in rows]
