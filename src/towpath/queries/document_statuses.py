"""Reads the status of many documents with two queries, and why runs wait with one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from sqlalchemy import select

from towpath.ledger.database import Transaction
from towpath.ledger.tables import document_processing_jobs, processing_runs
from towpath.ledger.verbs import row_conversion
from towpath.model.job import JobStatus
from towpath.queries.contract import DocumentStatus
from towpath.queries.stage_timeline import status_of
from towpath.queries.status_rows import read_documents_and_runs, read_jobs
from towpath.queries.waiting_reason import Waiting, why_waiting


def read_statuses(
    tx: Transaction,
    org_id: str,
    document_ids: Sequence[str],
    stages: Mapping[str, tuple[str, ...]],
    now: datetime,
) -> list[DocumentStatus]:
    """The statuses in the order of the ids; unknown ids are left out."""
    documents, runs = read_documents_and_runs(tx, org_id, document_ids)
    jobs = read_jobs(tx, org_id, runs) if runs else {}
    return [
        status_of(documents[document_id], run, jobs.get(run.id, ()) if run else (), stages, now)
        for document_id in document_ids
        if document_id in documents
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
