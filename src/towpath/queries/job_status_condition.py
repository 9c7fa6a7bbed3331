"""The condition that a job has a status, written so that the index of the status is used."""

from __future__ import annotations

from sqlalchemy import ColumnElement, literal_column

from towpath.ledger.tables import document_processing_jobs
from towpath.model.job import JobStatus


def has_status(status: str) -> ColumnElement[bool]:
    """SQLite uses a partial index only for a status that is written in the statement, not for a parameter."""
    return document_processing_jobs.c.status == literal_column(f"'{JobStatus(status)}'")
