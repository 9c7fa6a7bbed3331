"""Takes a job from a process that died or was left behind: raises the epoch, and notes the reason."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import update

from towpath.ledger.columns import to_text
from towpath.ledger.database import Transaction
from towpath.ledger.tables import document_processing_jobs
from towpath.model.job import Job, JobStatus

_jobs = document_processing_jobs.c


def revoke_lease(
    tx: Transaction, job: Job, status: JobStatus, reason: str, now: datetime, *, suspect: bool
) -> None:
    """Take a job away from the process that died, and add the reason to its error log. Counts no crash."""
    is_retried = status is JobStatus.PENDING
    tx.connection.execute(
        update(document_processing_jobs)
        .where(_jobs.id == job.id)
        .values(
            status=status,
            suspect=suspect,
            lease_epoch=_jobs.lease_epoch + 1,
            lease_until=None,
            available_at=now if is_retried else job.available_at,
            error_log="\n".join(filter(None, (job.error_log, f"{to_text(now)} {reason}")))[-8000:],
            completed_at=None if is_retried else now,
            updated_at=now,
        )
    )
