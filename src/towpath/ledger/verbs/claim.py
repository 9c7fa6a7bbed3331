"""claim, heartbeat and progress: taking jobs and holding on to them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Row, insert

from towpath.errors import LeaseLost
from towpath.ledger.columns import dump
from towpath.ledger.database import Transaction
from towpath.ledger.tables import run_events
from towpath.ledger.verbs import rows
from towpath.model.work import Claimed, EventKind, Json, Lease

#: At most this many (organization, stage) lanes are looked at by one claim.
LANES = 64
#: Rows looked at beyond those wanted: claims that run at the same time pass over each other's rows.
WINDOW = 2

FIRST_ORG = "00000000-0000-0000-0000-000000000000"


def claim(
    tx: Transaction,
    worker: str,
    *,
    after: str,
    limit: int,
    lease_seconds: float,
    now: datetime,
    stages: Sequence[str] | None,
) -> list[Claimed]:
    until = now + timedelta(seconds=lease_seconds)
    wanted = stages if stages is None or tx.dialect == "postgres" else dump(list(stages))
    found = tx.run(
        "claim",
        worker=worker,
        after=after,
        limit=limit,
        window=WINDOW * limit + 16,
        lanes=LANES,
        stages=list(wanted) if isinstance(wanted, Sequence) and not isinstance(wanted, str) else wanted,
        until=until,
        now=now,
    )
    return [rows.claimed(row, worker, until) for row in found]


def heartbeat(tx: Transaction, leases: Sequence[Lease], until: datetime, now: datetime) -> set[str]:
    return {str(row.id) for row in tx.run("heartbeat", rows=dump(_named(leases)), until=until, now=now)}


def progress(tx: Transaction, lease: Lease, done: int, total: int, now: datetime) -> None:
    row = {**_named([lease])[0], "progress": {"done": done, "total": total}}
    if not tx.run("progress", rows=dump([row]), now=now):
        raise LeaseLost(f"Job {lease.job_id} is no longer held with epoch {lease.epoch}.")


def note(tx: Transaction, lease: Lease, kind: EventKind, detail: Json, now: datetime) -> None:
    job = fenced(tx, lease)
    tx.connection.execute(
        insert(run_events).values(
            org_id=job.org_id,
            run_id=job.run_id,
            job_id=lease.job_id,
            kind=kind,
            stage=job.stage,
            at=now,
            detail=dict(detail),
        )
    )


def fenced(tx: Transaction, lease: Lease) -> Row[Any]:
    """The job, if the lease is still its own; nobody else can change it before this transaction ends."""
    held = tx.run("fence", job_id=lease.job_id, epoch=lease.epoch)
    if not held:
        raise LeaseLost(f"Job {lease.job_id} is no longer held with epoch {lease.epoch}.")
    return held[0]


def _named(leases: Sequence[Lease]) -> list[dict[str, object]]:
    return [{"job_id": lease.job_id, "epoch": lease.epoch} for lease in leases]
