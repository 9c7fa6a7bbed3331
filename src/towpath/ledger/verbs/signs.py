"""Signs of life: each worker writes a row of its own now and then, so that idle ones are known, too."""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlalchemy import delete

from towpath.ledger.columns import dump, readable
from towpath.ledger.contract import SignOfLife
from towpath.ledger.database import Transaction
from towpath.ledger.tables import workers

#: Whoever has not been seen for so long is taken for dead.
GONE = timedelta(minutes=2)


def sign(tx: Transaction, worker: SignOfLife, now: datetime) -> None:
    tx.run(
        "sign",
        id=worker.id,
        host=readable(worker.host),
        pid=worker.pid,
        slots=worker.slots,
        stages=dump(list(worker.stages)),
        started=worker.started_at,
        now=now,
        gone=now - GONE,
    )


def leave(tx: Transaction, worker_id: str) -> None:
    tx.connection.execute(delete(workers).where(workers.c.id == worker_id))


def forget_all(tx: Transaction) -> None:
    """Where nobody else can be alive, whoever signed before is gone."""
    tx.connection.execute(delete(workers))
