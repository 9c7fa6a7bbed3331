"""prune: removes old runs, events, deliveries and cached answers in batches; keeps what an existing document needs.

A pass reads a table in order of its primary key, ``limit`` rows at a time, and stops at the first batch without an
old row. So a pass reads each kept row once, and pruning needs no additional index.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import delete, exists, func, select

from towpath.ledger.columns import to_instant
from towpath.ledger.contract.ledger import PruneResult
from towpath.ledger.database import Transaction
from towpath.ledger.tables import (
    document_processing_jobs,
    documents,
    processing_runs,
    provider_calls,
    run_events,
    webhook_deliveries,
)
from towpath.lifecycle.transitions import JOB_ENDS, RUN_ENDS

_runs, _jobs, _events, _calls, _deliveries = (
    processing_runs.c,
    document_processing_jobs.c,
    run_events.c,
    provider_calls.c,
    webhook_deliveries.c,
)


def prune(tx: Transaction, what: str, before: datetime, after: str | None, limit: int) -> PruneResult:
    """Prune one batch of ``what`` after the cursor ``after``; the result has the next cursor."""
    prune_table = {
        "runs": _prune_runs,
        "events": _prune_events,
        "answers": _prune_answers,
        "deliveries": _prune_deliveries,
    }[what]
    return prune_table(tx, before, after, limit)


def _prune_runs(tx: Transaction, before: datetime, after: str | None, limit: int) -> PruneResult:
    """Prune ended runs with their jobs and events, except the published and the latest run of each document."""
    query = (
        select(_runs.id, _runs.created_at, _runs.ended_at, _runs.document_id)
        .where(*([] if after is None else [_runs.id > after]))
        .order_by(_runs.id)
        .limit(limit)
    )
    rows = tx.connection.execute(query).all()
    ended = [row for row in rows if row.ended_at is not None and row.ended_at < before]
    needed = _needed_runs(tx, ended)
    old = [row for row in ended if str(row.id) not in needed]
    pruned = [str(row.id) for row in old]
    jobs = events = 0
    if pruned:
        pruned_jobs = _jobs.document_id.in_({str(row.document_id) for row in old}), _jobs.run_id.in_(pruned)
        jobs = tx.connection.execute(delete(document_processing_jobs).where(*pruned_jobs)).rowcount
        events = tx.connection.execute(delete(run_events).where(_events.run_id.in_(pruned))).rowcount
        tx.connection.execute(delete(processing_runs).where(_runs.id.in_(pruned)))
    return PruneResult(
        len(pruned), jobs, events, after=_cursor(rows, limit, [row.created_at < before for row in rows])
    )


def _needed_runs(tx: Transaction, runs: Sequence[Any]) -> set[str]:
    """Those of the runs that are published, the latest of their document, or have a job that has not ended.

    Asked by the ids of the batch: as conditions of its query, Postgres reads all documents and jobs for each batch.
    """
    if not runs:
        return set()
    run_ids = [str(row.id) for row in runs]
    document_ids = sorted({str(row.document_id) for row in runs})
    published = select(documents.c.published_run_id).where(documents.c.id.in_(document_ids))
    newest = (
        select(_runs.document_id, func.max(_runs.created_at).label("created_at"))
        .where(_runs.document_id.in_(document_ids))
        .group_by(_runs.document_id)
    )
    unfinished = select(_jobs.run_id).where(
        _jobs.document_id.in_(document_ids), _jobs.run_id.in_(run_ids), _jobs.status.not_in(sorted(JOB_ENDS))
    )
    newest_at = {str(row.document_id): row.created_at for row in tx.connection.execute(newest)}
    latest = [row.id for row in runs if row.created_at >= newest_at[str(row.document_id)]]
    found = [
        *tx.connection.execute(published).scalars(),
        *tx.connection.execute(unfinished).scalars(),
        *latest,
    ]
    return {str(run_id) for run_id in found if run_id is not None}


def _prune_events(tx: Transaction, before: datetime, after: str | None, limit: int) -> PruneResult:
    """Prune events of ended runs, also of runs that are kept."""
    unfinished = exists().where(_runs.id == _events.run_id, _runs.state.not_in(sorted(RUN_ENDS)))
    query = (
        select(_events.id, _events.at, unfinished.label("unfinished"))
        .where(*([] if after is None else [_events.id > int(after)]))
        .order_by(_events.id)
        .limit(limit)
    )
    rows = tx.connection.execute(query).all()
    old = [to_instant(row.at) < before for row in rows]
    pruned = [row.id for row, is_old in zip(rows, old, strict=True) if is_old and not row.unfinished]
    if pruned:
        tx.connection.execute(delete(run_events).where(_events.id.in_(pruned)))
    return PruneResult(events=len(pruned), after=_cursor(rows, limit, old))


def _prune_answers(tx: Transaction, before: datetime, after: str | None, limit: int) -> PruneResult:
    """Prune answers of deleted documents. A reused answer is kept: another document may need it."""
    query = (
        select(
            _calls.id,
            _calls.status,
            _calls.reused,
            _calls.answer_artifact,
            func.coalesce(_calls.answered_at, _calls.started_at).label("at"),
            exists().where(documents.c.id == _calls.document_id).label("needed"),
        )
        .where(*([] if after is None else [_calls.id > after]))
        .order_by(_calls.id)
        .limit(limit)
    )
    rows = tx.connection.execute(query).all()
    old = [to_instant(row.at) < before for row in rows]
    pruned = [
        row
        for row, is_old in zip(rows, old, strict=True)
        if is_old and not row.needed and not row.reused and row.status != "STARTED"
    ]
    if pruned:
        tx.connection.execute(delete(provider_calls).where(_calls.id.in_([str(row.id) for row in pruned])))
    blobs = tuple(str(row.answer_artifact) for row in pruned if row.answer_artifact is not None)
    return PruneResult(answers=len(pruned), blobs=blobs, after=_cursor(rows, limit, old))


def _prune_deliveries(tx: Transaction, before: datetime, after: str | None, limit: int) -> PruneResult:
    """Prune webhook deliveries that were made or given up."""
    query = (
        select(_deliveries.id, _deliveries.created_at, _deliveries.completed_at)
        .where(*([] if after is None else [_deliveries.id > after]))
        .order_by(_deliveries.id)
        .limit(limit)
    )
    rows = tx.connection.execute(query).all()
    pruned = [str(row.id) for row in rows if row.completed_at is not None and row.completed_at < before]
    if pruned:
        tx.connection.execute(delete(webhook_deliveries).where(_deliveries.id.in_(pruned)))
    old = [to_instant(row.created_at) < before for row in rows]
    return PruneResult(deliveries=len(pruned), after=_cursor(rows, limit, old))


def _cursor(rows: Sequence[Any], limit: int, old: Sequence[bool]) -> str | None:
    """The cursor of the next batch; None at the end of the table or after a batch without an old row."""
    return str(rows[-1].id) if len(rows) == limit and any(old) else None
