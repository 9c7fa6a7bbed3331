"""Lists runs by name, error, stage and time, newest first."""

from __future__ import annotations

from typing import Any

from sqlalchemy import func, select

from towpath.ledger.columns import strip_unstorable
from towpath.ledger.database import Transaction
from towpath.ledger.tables import document_processing_jobs, documents, processing_runs
from towpath.queries.contract import RunFilter

_runs, _documents, _jobs = processing_runs.c, documents.c, document_processing_jobs.c


def list_runs(tx: Transaction, org_id: str, wanted: RunFilter, limit: int) -> list[dict[str, Any]]:
    """The runs that match. ``stage`` is where the run is, or where it ended."""
    stage = _stage_of_run()
    query: Any = (
        select(
            *(_runs.id, _runs.document_id, _documents.name.label("document_name"), _runs.state),
            *(_runs.failure_type, _runs.error, _runs.reason, _runs.pipeline),
            *(_runs.created_at, _runs.started_at, _runs.ended_at),
            stage.label("stage"),
        )
        .join(documents, _documents.id == _runs.document_id)
        .where(_runs.org_id == org_id)
        .order_by(_runs.id.desc())
        .limit(limit)
    )
    if wanted.name:
        query = query.where(_contains(_documents.name, wanted.name))
    if wanted.error:
        query = query.where(_contains(_runs.error, wanted.error))
    if wanted.state:
        query = query.where(_runs.state == wanted.state)
    if wanted.stage:
        query = query.where(stage == wanted.stage)
    if wanted.created_from is not None:
        query = query.where(_runs.created_at >= wanted.created_from)
    if wanted.created_before is not None:
        query = query.where(_runs.created_at < wanted.created_before)
    if wanted.after:
        query = query.where(_runs.id < wanted.after)
    return [dict(row) for row in tx.connection.execute(query).mappings()]


def _stage_of_run() -> Any:
    return (
        select(_jobs.stage)
        .where(_jobs.document_id == _runs.document_id, _jobs.run_id == _runs.id, ~_jobs.follow_up)
        .order_by(_jobs.created_at.desc(), _jobs.id.desc())
        .limit(1)
        .correlate(processing_runs)
        .scalar_subquery()
    )


def _contains(column: Any, part: str) -> Any:
    return func.lower(column).contains(strip_unstorable(part).lower(), autoescape=True)
