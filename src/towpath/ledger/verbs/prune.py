"""prune: old history goes in bounded batches; what a document that exists still needs is never touched.

A pass walks a table along its primary key, so many rows at a time, and stops at the first batch that is
young throughout. Kept rows are therefore looked at once in a pass, and no index serves pruning alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import delete, exists, func, select

from towpath.ledger.columns import to_instant
from towpath.ledger.contract import Pruned
from towpath.ledger.database import Transaction
from towpath.ledger.tables import (
    document_processing_jobs,
    documents,
    processing_runs,
    provider_calls,
    run_events,
)
from towpath.lifecycle.moves import JOB_ENDS, RUN_ENDS

_runs, _jobs, _events, _calls = (
    processing_runs.c,
    document_processing_jobs.c,
    run_events.c,
    provider_calls.c,
)


def prune(tx: Transaction, what: str, before: datetime, after: str | None, limit: int) -> Pruned:
    """One batch of ``what`` beyond the cursor ``after``; the answer carries the next cursor."""
    return {"runs": _prune_runs, "events": _prune_events, "answers": _prune_answers}[what](
        tx, before, after, limit
    )


def _prune_runs(tx: Transaction, before: datetime, after: str | None, limit: int) -> Pruned:
    """Ended runs with their jobs and events, except the published and the latest one of each document."""
    newer = processing_runs.alias("newer")
    working = document_processing_jobs.alias("working")
    needed = (
        exists().where(documents.c.published_run_id == _runs.id)
        | ~exists().where(newer.c.document_id == _runs.document_id, newer.c.created_at > _runs.created_at)
        | exists().where(
            working.c.document_id == _runs.document_id,
            working.c.run_id == _runs.id,
            working.c.status.not_in(sorted(JOB_ENDS)),
        )
    )
    query = (
        select(_runs.id, _runs.created_at, _runs.ended_at, _runs.document_id, needed.label("needed"))
        .where(*([] if after is None else [_runs.id > after]))
        .order_by(_runs.id)
        .limit(limit)
    )
    rows = tx.connection.execute(query).all()
    old = [row for row in rows if not row.needed and row.ended_at is not None and row.ended_at < before]
    gone = [str(row.id) for row in old]
    jobs = events = 0
    if gone:
        mine = _jobs.document_id.in_({str(row.document_id) for row in old}), _jobs.run_id.in_(gone)
        jobs = tx.connection.execute(delete(document_processing_jobs).where(*mine)).rowcount
        events = tx.connection.execute(delete(run_events).where(_events.run_id.in_(gone))).rowcount
        tx.connection.execute(delete(processing_runs).where(_runs.id.in_(gone)))
    return Pruned(
        len(gone), jobs, events, after=_cursor(rows, limit, [row.created_at < before for row in rows])
    )


def _prune_events(tx: Transaction, before: datetime, after: str | None, limit: int) -> Pruned:
    """What happened to runs that have ended, though the runs themselves are kept."""
    going = exists().where(_runs.id == _events.run_id, _runs.state.not_in(sorted(RUN_ENDS)))
    query = (
        select(_events.id, _events.at, going.label("going"))
        .where(*([] if after is None else [_events.id > int(after)]))
        .order_by(_events.id)
        .limit(limit)
    )
    rows = tx.connection.execute(query).all()
    old = [to_instant(row.at) < before for row in rows]
    gone = [row.id for row, is_old in zip(rows, old, strict=True) if is_old and not row.going]
    if gone:
        tx.connection.execute(delete(run_events).where(_events.id.in_(gone)))
    return Pruned(events=len(gone), after=_cursor(rows, limit, old))


def _prune_answers(tx: Transaction, before: datetime, after: str | None, limit: int) -> Pruned:
    """Answers that only a document which is gone ever asked for. One that was reused may serve another."""
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
    gone = [
        row
        for row, is_old in zip(rows, old, strict=True)
        if is_old and not row.needed and not row.reused and row.status != "STARTED"
    ]
    if gone:
        tx.connection.execute(delete(provider_calls).where(_calls.id.in_([str(row.id) for row in gone])))
    blobs = tuple(str(row.answer_artifact) for row in gone if row.answer_artifact is not None)
    return Pruned(answers=len(gone), blobs=blobs, after=_cursor(rows, limit, old))


def _cursor(rows: Sequence[Any], limit: int, old: Sequence[bool]) -> str | None:
    """Where the next batch begins; None at the end of the table, or where everything is young."""
    return str(rows[-1].id) if len(rows) == limit and any(old) else None
