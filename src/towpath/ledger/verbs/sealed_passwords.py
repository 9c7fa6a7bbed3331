"""Reads the encrypted passwords of runs, for the new runs that continue them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sqlalchemy import select

from towpath.ledger.database import Transaction
from towpath.ledger.tables import document_processing_jobs, processing_runs

_jobs, _runs = document_processing_jobs.c, processing_runs.c


def sealed_passwords(tx: Transaction, run_ids: Sequence[str]) -> Mapping[str, str]:
    """By run. To be read before the runs end: the end of a job erases its password."""
    if not run_ids:
        return {}
    query = (
        select(_jobs.run_id, _jobs.sealed_password)
        .join(processing_runs, (_runs.document_id == _jobs.document_id) & (_runs.id == _jobs.run_id))
        .where(_runs.id.in_(run_ids), _jobs.sealed_password.is_not(None))
    )
    return {str(row.run_id): str(row.sealed_password) for row in tx.connection.execute(query)}
