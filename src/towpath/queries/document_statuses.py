"""Reads the status of many documents with three queries, and why runs wait with one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime

from sqlalchemy import select

from towpath.ledger.database import Transaction
from towpath.ledger.tables import document_processing_jobs, documents, processing_runs
from towpath.ledger.verbs import row_conversion
from towpath.model.job import Job, JobStatus
from towpath.model.run import Run, RunState
from towpath.queries.contract import DocumentStatus
from towpath.queries.document_rows import to_document
from towpath.queries.stage_timeline import status_of
from towpath.queries.waiting_reason import Waiting, why_waiting


def read_statuses(
    tx: Transaction,
    org_id: str,
    document_ids: Sequence[str],
    stages: Mapping[str, tuple[str, ...]],
    now: datetime,
) -> list[DocumentStatus]:
    """The statuses in the order of the ids; unknown ids are left out."""
    query = select(documents).where(documents.c.org_id == org_id, documents.c.id.in_(document_ids))
    document_by_id = {str(row.id): to_document(row) for row in tx.connection.execute(query)}
    runs = _current_runs(tx, org_id, list(document_by_id))
    jobs = _jobs_by_run(tx, org_id, runs)
    return [
        status_of(document_by_id[document_id], run, jobs.get(run.id, ()) if run else (), stages, now)
        for document_id in document_ids
        if document_id in document_by_id
        for run in [runs.get(document_id)]
    ]


def read_waiting_runs(
    tx: Transaction, org_id: str, run_ids: Sequence[str], now: datetime
) -> dict[str, Waiting]:
    """Why the PENDING jobs of these runs are not being worked, by run id. Follow-up jobs do not count."""
    job, run = document_processing_jobs.c, processing_runs.c
    query = (
        select(document_processing_jobs)
        # The document too: it is the first column of the index.
        .join(processing_runs, (job.document_id == run.document_id) & (job.run_id == run.id))
        .where(run.id.in_(run_ids), run.org_id == org_id, job.status == JobStatus.PENDING, ~job.follow_up)
    )
    jobs = [row_conversion.job(row) for row in tx.connection.execute(query)]
    return {job.run_id: waiting for job in jobs if (waiting := why_waiting(job, now)) is not None}


def _current_runs(tx: Transaction, org_id: str, document_ids: list[str]) -> dict[str, Run]:
    """For each document the running run, else the first queued one, else the last one that ended."""
    run = processing_runs.c
    query = (
        select(processing_runs)
        .where(run.document_id.in_(document_ids), run.org_id == org_id)
        .order_by(run.created_at, run.id)
    )
    runs: defaultdict[str, list[Run]] = defaultdict(list)
    for row in tx.connection.execute(query):
        runs[str(row.document_id)].append(row_conversion.run(row))
    return {document_id: _current(of_document) for document_id, of_document in runs.items()}


def _current(runs: Sequence[Run]) -> Run:
    for state in (RunState.RUNNING, RunState.QUEUED):
        for run in runs:
            if run.state is state:
                return run
    return runs[-1]


def _jobs_by_run(tx: Transaction, org_id: str, runs: Mapping[str, Run]) -> dict[str, list[Job]]:
    job = document_processing_jobs.c
    query = (
        select(document_processing_jobs)
        .where(
            # The document too: it is the first column of the index.
            job.document_id.in_(list(runs)),
            job.run_id.in_([run.id for run in runs.values()]),
            job.org_id == org_id,
        )
        .order_by(job.created_at, job.id)
    )
    jobs: defaultdict[str, list[Job]] = defaultdict(list)
    for row in tx.connection.execute(query):
        jobs[str(row.run_id)].append(row_conversion.job(row))
    return jobs
