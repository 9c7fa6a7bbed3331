"""Reads runs, jobs and events of one organization."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sqlalchemy import select

from towpath.errors import NotFound
from towpath.ledger.columns import to_json
from towpath.ledger.database import Transaction
from towpath.ledger.tables import chunks, document_processing_jobs, processing_runs, run_events
from towpath.ledger.verbs import row_conversion
from towpath.model.event import Event
from towpath.model.ids import is_id
from towpath.model.job import ClaimedJob, Job, JobStatus, Lease
from towpath.model.run import Run


def run(tx: Transaction, run_id: str, org_id: str) -> Run:
    if not is_id(run_id):
        raise NotFound(f"There is no run {run_id} here.")
    row = tx.connection.execute(
        select(processing_runs).where(processing_runs.c.id == run_id, processing_runs.c.org_id == org_id)
    ).one_or_none()
    if row is None:
        raise NotFound(f"There is no run {run_id} here.")
    return row_conversion.run(row)


def job_of_worker(tx: Transaction, job_id: str, org_id: str) -> tuple[JobStatus, ClaimedJob]:
    """The status of a job, and the job as its last claim returned it."""
    jobs_, runs_ = document_processing_jobs.c, processing_runs.c
    query = (
        select(document_processing_jobs, runs_.pipeline, runs_.options, runs_.policy)
        .join(processing_runs, runs_.id == jobs_.run_id)
        .where(jobs_.id == job_id, jobs_.org_id == org_id)
    )
    row = tx.connection.execute(query).one_or_none() if is_id(job_id) else None
    if row is None:
        raise NotFound(f"There is no job {job_id} here.")
    job = row_conversion.job(row)
    results = tx.connection.execute(
        select(jobs_.stage, jobs_.result).where(
            jobs_.document_id == job.document_id,
            jobs_.run_id == job.run_id,
            jobs_.status == JobStatus.COMPLETED,
        )
    )
    claimed = ClaimedJob(
        lease=Lease(job.id, job.lease_epoch, job.locked_by or "", job.lease_until or job.updated_at),
        org_id=job.org_id,
        document_id=job.document_id,
        run_id=job.run_id,
        pipeline=row.pipeline,
        stage=job.stage,
        payload=job.payload,
        options=to_json(row.options),
        results={done.stage: to_json(done.result) for done in results},
        attempts=job.attempts,
        max_attempts=job.max_attempts,
        crashes=job.crashes,
        follow_up=job.follow_up,
        suspect=job.suspect,
        policy=to_json(row.policy),
        sealed_password=row.sealed_password,
    )
    return job.status, claimed


def runs(tx: Transaction, document_id: str, org_id: str) -> list[Run]:
    """Every run of a document, oldest first."""
    if not is_id(document_id):
        return []
    run_rows = tx.connection.execute(
        select(processing_runs)
        .where(processing_runs.c.document_id == document_id, processing_runs.c.org_id == org_id)
        .order_by(processing_runs.c.created_at, processing_runs.c.id)
    )
    return [row_conversion.run(row) for row in run_rows]


def published_vectors(
    tx: Transaction, document_id: str, model: str, org_id: str
) -> Mapping[str, Sequence[float]]:
    """The vectors of this model of the document's chunks, by chunk id."""
    query = select(chunks.c.id, chunks.c.vector).where(
        chunks.c.document_id == document_id,
        chunks.c.org_id == org_id,
        chunks.c.model == model,
        chunks.c.vector.is_not(None),
    )
    return {str(row.id): row.vector for row in tx.connection.execute(query)}


def jobs(tx: Transaction, run_id: str, org_id: str) -> list[Job]:
    """Every job of a run, in order of creation."""
    if not is_id(run_id):
        return []
    jobs_ = document_processing_jobs.c
    document_id = (
        select(processing_runs.c.document_id).where(processing_runs.c.id == run_id).scalar_subquery()
    )
    job_rows = tx.connection.execute(
        select(document_processing_jobs)
        .where(jobs_.document_id == document_id, jobs_.run_id == run_id, jobs_.org_id == org_id)
        .order_by(jobs_.created_at, jobs_.id)
    )
    return [row_conversion.job(row) for row in job_rows]


def events(tx: Transaction, run_id: str, org_id: str) -> list[Event]:
    if not is_id(run_id):
        return []
    event_rows = tx.connection.execute(
        select(run_events)
        .where(run_events.c.run_id == run_id, run_events.c.org_id == org_id)
        .order_by(run_events.c.id)
    )
    return [row_conversion.event(row) for row in event_rows]
