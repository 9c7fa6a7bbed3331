"""Fails runs that lost their worker, if their stored policy is `recovery = "fail"`."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import insert, select, update

from towpath.ledger.columns import dump, to_text
from towpath.ledger.database import Transaction
from towpath.ledger.tables import document_processing_jobs, documents, processing_runs, run_events
from towpath.ledger.verbs.webhook_events import queue_deliveries
from towpath.model.event import EventKind
from towpath.model.job import JobStatus
from towpath.model.run import FailureType, RunState

_jobs, _runs = document_processing_jobs.c, processing_runs.c

ERROR = "The worker stopped while this was running."


def fail_orphans(tx: Transaction, now: datetime, limit: int) -> int:
    """End the runs with an expired lease and the policy `recovery: fail`; their number. No run resumes them."""
    query = (
        select(_jobs.id, _jobs.org_id, _jobs.document_id, _jobs.run_id, _jobs.stage, _jobs.error_log)
        .join(processing_runs, (_runs.document_id == _jobs.document_id) & (_runs.id == _jobs.run_id))
        .where(_jobs.status == JobStatus.PROCESSING, _jobs.lease_until < now, ~_jobs.follow_up)
        .where(_runs.state == RunState.RUNNING, _runs.policy["recovery"].as_string() == "fail")
        .order_by(_jobs.locked_at)
        .limit(limit)
        .with_for_update(of=document_processing_jobs, skip_locked=True)
    )
    orphans = tx.connection.execute(query).all()
    for job in orphans:
        log = "\n".join(filter(None, (job.error_log, f"{to_text(now)} {ERROR}")))
        tx.connection.execute(
            update(document_processing_jobs)
            .where(_jobs.id == job.id)
            .values(
                status=JobStatus.FAILED,
                lease_epoch=_jobs.lease_epoch + 1,
                lease_until=None,
                error_log=log[-8000:],
                completed_at=now,
                updated_at=now,
            )
        )
        failure = {"failure_type": FailureType.PROCESS_TERMINATED, "error": ERROR}
        tx.connection.execute(
            update(processing_runs)
            .where(_runs.id == job.run_id)
            .values(state=RunState.FAILED, ended_at=now, **failure)
        )
        tx.connection.execute(
            update(documents).where(documents.c.id == job.document_id).values(status="FAILED", updated_at=now)
        )
        common = {"org_id": job.org_id, "run_id": job.run_id, "at": now, "stage": job.stage}
        tx.connection.execute(
            insert(run_events),
            [
                {**common, "job_id": job.id, "kind": EventKind.LEASE_EXPIRED, "detail": None},
                {
                    **common,
                    "job_id": None,
                    "kind": EventKind.RUN_FAILED,
                    "detail": {"failure_type": FailureType.PROCESS_TERMINATED, "stage": job.stage},
                },
            ],
        )
    if orphans:
        tx.run("wake_next", documents=dump(sorted({str(job.document_id) for job in orphans})), now=now)
        queue_deliveries(tx, {str(job.run_id) for job in orphans}, now)
    return len(orphans)
