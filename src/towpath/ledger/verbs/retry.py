"""retry: makes a waiting job due now, or resumes a failed run with a new run."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import insert, select, update

from towpath.errors import IllegalTransition, NotFound
from towpath.ledger.columns import strip_unstorable
from towpath.ledger.database import Transaction
from towpath.ledger.tables import document_processing_jobs, processing_runs
from towpath.ledger.verbs import read_runs
from towpath.ledger.verbs.queue_run import NOT_WAITING, lock_document, resume_run
from towpath.ledger.verbs.versions import refuse_older_version
from towpath.lifecycle.transitions import JOB_ENDS, RUN_ENDS, Verb, next_job_states
from towpath.model.ids import is_id, new_id
from towpath.model.job import Job, JobStatus
from towpath.model.job_payload import FORCED
from towpath.model.run import RunReason, RunState

_jobs = document_processing_jobs.c


def retry(tx: Transaction, job_id: str, org_id: str, now: datetime) -> str:
    """Make a PENDING job due now, or queue a new run that resumes the run of a FAILED job."""
    query = select(_jobs.run_id).where(_jobs.id == job_id, _jobs.org_id == org_id)
    run_id = tx.connection.execute(query).scalar() if is_id(job_id) else None
    if run_id is None:
        raise NotFound(f"There is no job {job_id} here.")
    run = read_runs.run(tx, str(run_id), org_id)
    lock_document(tx, run.document_id, org_id)
    jobs = read_runs.jobs(tx, run.id, org_id)
    job = next(job for job in jobs if job.id == job_id)
    if not next_job_states(job.status, Verb.RETRY):
        raise IllegalTransition(f"Job {job_id} is {job.status}: only a PENDING or FAILED job can be retried.")
    if job.status is JobStatus.PENDING:
        if run.state is not RunState.QUEUED:
            _make_due(tx, job, now)
        return run.id
    if job.follow_up:
        if not any(_is_queued_again(other, job) for other in jobs):
            _queue_follow_up(tx, job, now)
        return run.id
    for other in read_runs.runs(tx, run.document_id, org_id):
        # The run was resumed already, by an earlier retry or by recovery.
        if other.resumes_run_id == run.id and other.state not in RUN_ENDS:
            return other.id
    refuse_older_version(tx, run.document_id, run.options)
    stage_jobs = [other for other in jobs if not other.follow_up]
    return resume_run(
        tx, run, stage_jobs, job, now, RunReason.RETRIED, attempts=0, crashes=0, suspect=job.suspect
    )


def _is_queued_again(other: Job, job: Job) -> bool:
    return other.follow_up and other.stage == job.stage and other.status not in JOB_ENDS


def retry_many(
    tx: Transaction,
    org_id: str,
    stage: str | None,
    error: str | None,
    job_ids: Sequence[str] | None,
    limit: int,
    now: datetime,
) -> list[str]:
    """Retry the FAILED jobs of the latest run of each document, oldest failure first.

    ``stage``, ``error`` and ``job_ids`` select among them; an empty ``error`` selects none.
    """
    error_part = None if error is None else strip_unstorable(error)
    if error_part == "":
        return []
    newer = processing_runs.alias("newer")
    later = document_processing_jobs.alias("later")
    run = processing_runs.c
    query = (
        select(_jobs.id)
        .join(processing_runs, run.id == _jobs.run_id)
        .where(_jobs.org_id == org_id, _jobs.status == JobStatus.FAILED)
        .where(
            ~select(newer.c.id)
            .where(newer.c.document_id == run.document_id, newer.c.created_at > run.created_at)
            .exists()
        )
        .where(
            ~select(later.c.id)
            .where(
                later.c.document_id == _jobs.document_id,
                later.c.run_id == _jobs.run_id,
                later.c.stage == _jobs.stage,
                later.c.id > _jobs.id,
            )
            .exists()
        )
        .order_by(_jobs.updated_at, _jobs.id)
        .limit(limit)
    )
    if stage is not None:
        query = query.where(_jobs.stage == stage)
    if error_part is not None:
        query = query.where(_jobs.error_log.contains(error_part, autoescape=True))
    if job_ids is not None:
        query = query.where(_jobs.id.in_([job_id for job_id in job_ids if is_id(job_id)]))
    failed = [str(job_id) for job_id in tx.connection.execute(query).scalars()]
    return [retry(tx, job_id, org_id, now) for job_id in failed]


def _make_due(tx: Transaction, job: Job, now: datetime) -> None:
    tx.connection.execute(
        update(document_processing_jobs)
        .where(_jobs.id == job.id, _jobs.status == JobStatus.PENDING)
        .values(payload={**job.payload, FORCED: True}, available_at=now, updated_at=now, **NOT_WAITING)
    )


def _queue_follow_up(tx: Transaction, job: Job, now: datetime) -> None:
    tx.connection.execute(
        insert(document_processing_jobs).values(
            id=new_id(),
            org_id=job.org_id,
            document_id=job.document_id,
            run_id=job.run_id,
            stage=job.stage,
            status=JobStatus.PENDING,
            follow_up=True,
            suspect=job.suspect,
            payload=dict(job.payload),
            max_attempts=job.max_attempts,
            available_at=now,
            created_at=now,
            updated_at=now,
        )
    )
