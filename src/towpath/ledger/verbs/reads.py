"""Reads runs, jobs and events of one organization."""

from __future__ import annotations

from sqlalchemy import select

from towpath.errors import NotFound
from towpath.ledger.database import Transaction
from towpath.ledger.tables import document_processing_jobs, processing_runs, run_events
from towpath.ledger.verbs import rows
from towpath.model.event import Event
from towpath.model.ids import is_id
from towpath.model.job import Job
from towpath.model.run import Run


def run(tx: Transaction, run_id: str, org_id: str) -> Run:
    if not is_id(run_id):
        raise NotFound(f"There is no run {run_id} here.")
    row = tx.connection.execute(
        select(processing_runs).where(processing_runs.c.id == run_id, processing_runs.c.org_id == org_id)
    ).one_or_none()
    if row is None:
        raise NotFound(f"There is no run {run_id} here.")
    return rows.run(row)


def runs(tx: Transaction, document_id: str, org_id: str) -> list[Run]:
    """Every run of a document, oldest first."""
    if not is_id(document_id):
        return []
    run_rows = tx.connection.execute(
        select(processing_runs)
        .where(processing_runs.c.document_id == document_id, processing_runs.c.org_id == org_id)
        .order_by(processing_runs.c.created_at, processing_runs.c.id)
    )
    return [rows.run(row) for row in run_rows]


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
    return [rows.job(row) for row in job_rows]


def events(tx: Transaction, run_id: str, org_id: str) -> list[Event]:
    if not is_id(run_id):
        return []
    event_rows = tx.connection.execute(
        select(run_events)
        .where(run_events.c.run_id == run_id, run_events.c.org_id == org_id)
        .order_by(run_events.c.id)
    )
    return [rows.event(row) for row in event_rows]
