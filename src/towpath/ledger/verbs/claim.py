"""claim, heartbeat, progress and postpone_deadline: take due jobs, extend their leases, store how much is done."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Row, insert, select

from towpath.errors import LeaseLost
from towpath.ledger.columns import dump
from towpath.ledger.contract.ledger import ClaimRequest
from towpath.ledger.database import Transaction
from towpath.ledger.tables import document_processing_jobs, run_events
from towpath.ledger.verbs import row_conversion
from towpath.model.event import EventKind
from towpath.model.job import ClaimedJob, DueJob, JobStatus, Lease, Progress
from towpath.model.json_types import Json

#: At most this many (organization, stage) lanes are read by one claim.
LANES = 64
#: Rows read per row claimed: claims that run at the same time skip each other's rows.
WINDOW = 2

_jobs = document_processing_jobs.c

FIRST_ORG = "00000000-0000-0000-0000-000000000000"


def claim(tx: Transaction, request: ClaimRequest, after_org: str, now: datetime) -> list[ClaimedJob]:
    """Claim due jobs, first those of organizations whose id is greater than ``after_org``, then the others."""
    until = now + timedelta(seconds=request.lease_seconds)
    claimed_rows = tx.run(
        "claim" if request.job_ids is None else "claim_by_id",
        worker=request.worker,
        after=after_org,
        limit=request.limit,
        window=WINDOW * request.limit + 16,
        lanes=LANES,
        stages=_list(tx, request.stages),
        job_ids=_list(tx, request.job_ids),
        until=until,
        now=now,
    )
    return [row_conversion.claimed(row, request.worker, until) for row in claimed_rows]


def due_jobs(
    tx: Transaction, limit: int, stages: Sequence[str] | None, after_org: str, now: datetime
) -> list[DueJob]:
    """The first due jobs in the order of `claim`, which starts with the organizations after ``after_org``."""
    due_rows = tx.run(
        "select_due_jobs",
        after=after_org,
        limit=limit,
        window=limit,
        lanes=LANES,
        stages=_list(tx, stages),
        now=now,
    )
    return [row_conversion.due(row) for row in due_rows]


def due_in_organization(tx: Transaction, request: ClaimRequest, org_id: str, now: datetime) -> list[str]:
    """The ids of due jobs of one organization, oldest first; of ``request.job_ids`` those that are due."""
    query = select(_jobs.id).where(
        _jobs.org_id == org_id, _jobs.status == JobStatus.PENDING, _jobs.available_at <= now
    )
    if request.stages is not None:
        query = query.where(_jobs.stage.in_(request.stages))
    if request.job_ids is not None:
        query = query.where(_jobs.id.in_(request.job_ids))
    query = query.order_by(_jobs.available_at, _jobs.id).limit(WINDOW * request.limit + 16)
    return [str(job_id) for job_id in tx.connection.execute(query).scalars()]


def _list(tx: Transaction, values: Sequence[str] | None) -> object:
    """A list as a parameter: an array on Postgres, JSON on SQLite."""
    if values is None:
        return None
    return list(values) if tx.dialect == "postgres" else dump(list(values))


def heartbeat(tx: Transaction, leases: Sequence[Lease], until: datetime, now: datetime) -> set[str]:
    return {str(row.id) for row in tx.run("heartbeat", rows=dump(_lease_rows(leases)), until=until, now=now)}


def progress(tx: Transaction, lease: Lease, progress: Progress, now: datetime) -> None:
    row = {**_lease_rows([lease])[0], "progress": asdict(progress)}
    if not tx.run("progress", rows=dump([row]), now=now):
        raise LeaseLost(f"Job {lease.job_id} is no longer held with epoch {lease.epoch}.")


def postpone_deadline(tx: Transaction, lease: Lease, seconds: float) -> None:
    tx.run("postpone_deadline", **_lease_rows([lease])[0], seconds=seconds)


def add_event(tx: Transaction, lease: Lease, kind: EventKind, detail: Json, now: datetime) -> None:
    job = lock_leased_job(tx, lease)
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


def lock_leased_job(tx: Transaction, lease: Lease) -> Row[Any]:
    """Lock and return the job if ``lease`` still holds it; raise LeaseLost otherwise."""
    jobs = tx.run("lock_leased_job", job_id=lease.job_id, epoch=lease.epoch)
    if not jobs:
        raise LeaseLost(f"Job {lease.job_id} is no longer held with epoch {lease.epoch}.")
    return jobs[0]


def _lease_rows(leases: Sequence[Lease]) -> list[dict[str, object]]:
    return [{"job_id": lease.job_id, "epoch": lease.epoch} for lease in leases]
