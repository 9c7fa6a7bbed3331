"""recover: fails the runs that were RUNNING when the embedded server died, and queues runs that resume them."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import insert, select, update

from towpath.ledger.columns import dump, to_json
from towpath.ledger.contract.ledger import RecoveryResult
from towpath.ledger.database import Transaction
from towpath.ledger.tables import document_processing_jobs, documents, processing_runs, run_events
from towpath.ledger.verbs import read_runs, row_conversion, worker_registry
from towpath.ledger.verbs.queue_run import lock_document, resume_run
from towpath.ledger.verbs.revoke_lease import revoke_lease
from towpath.ledger.verbs.sealed_passwords import sealed_passwords
from towpath.ledger.verbs.webhook_events import queue_deliveries
from towpath.lifecycle.transitions import JOB_ENDS
from towpath.model.event import EventKind
from towpath.model.job import Job, JobStatus
from towpath.model.run import FailureType, Run, RunReason, RunState

_jobs = document_processing_jobs.c


#: The error of an interrupted run and of its job.
STOPPED = "The server stopped while this was running."


def recover(tx: Transaction, now: datetime, resume: bool) -> RecoveryResult:
    """Fail every RUNNING run and resume it by a new run: at start-up no worker of this data folder is alive.

    Counts no attempt and no crash: it is not known which job, if any, ended the process. Each job that was being
    worked is a suspect and runs alone the next time.
    """
    resumed = 0
    orphans = tx.connection.execute(
        select(processing_runs.c.id, processing_runs.c.org_id, processing_runs.c.policy)
        .where(processing_runs.c.state == RunState.RUNNING)
        .order_by(processing_runs.c.created_at, processing_runs.c.id)
    ).all()
    for orphan in orphans:
        run = read_runs.run(tx, str(orphan.id), str(orphan.org_id))
        jobs = [job for job in read_runs.jobs(tx, run.id, run.org_id) if not job.follow_up]
        last = next(job for job in jobs if job.status not in JOB_ENDS)
        suspect = last.suspect or last.status is JobStatus.PROCESSING
        lock_document(tx, run.document_id, run.org_id)
        passwords = sealed_passwords(tx, [run.id])
        _fail_orphan(tx, run, last, suspect, now)
        policy = to_json(orphan.policy)
        if policy.get("recovery", "resume" if resume else "fail") == "resume":
            resume_run(
                tx,
                run,
                jobs,
                last,
                now,
                RunReason.RESUMED,
                attempts=last.attempts,
                crashes=last.crashes,
                suspect=suspect,
                sealed_password=passwords.get(run.id),
            )
            resumed += 1
        tx.run("wake_next", documents=dump([run.document_id]), now=now)
    # A document whose run is resumed is not failed, and none of its deliveries is queued.
    queue_deliveries(tx, [str(orphan.id) for orphan in orphans], now)
    _recover_follow_ups(tx, now)
    worker_registry.deregister_all(tx)
    return RecoveryResult(len(orphans), resumed)


def _fail_orphan(tx: Transaction, run: Run, last: Job, suspect: bool, now: datetime) -> None:
    failure = FailureType.PROCESS_TERMINATED
    end = JobStatus.FAILED if last.status is JobStatus.PROCESSING else JobStatus.CANCELLED
    revoke_lease(tx, last, end, STOPPED, now, suspect=suspect)
    tx.connection.execute(
        update(processing_runs)
        .where(processing_runs.c.id == run.id)
        .values(state=RunState.FAILED, failure_type=failure, error=STOPPED, ended_at=now)
    )
    tx.connection.execute(
        update(documents).where(documents.c.id == run.document_id).values(status="FAILED", updated_at=now)
    )
    tx.connection.execute(
        insert(run_events).values(
            org_id=run.org_id,
            run_id=run.id,
            kind=EventKind.RUN_FAILED,
            at=now,
            detail={"failure_type": failure, "stage": last.stage},
        )
    )


def _recover_follow_ups(tx: Transaction, now: datetime) -> None:
    """Make the follow-up jobs that were being worked due again."""
    follow_ups = tx.connection.execute(
        select(document_processing_jobs).where(_jobs.status == JobStatus.PROCESSING, _jobs.follow_up)
    ).all()
    for job in map(row_conversion.job, follow_ups):
        revoke_lease(tx, job, JobStatus.PENDING, STOPPED, now, suspect=True)
