"""The state of the whole, for operators and for Prometheus: counted in the database, true for all workers."""

from __future__ import annotations

from collections import Counter
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, func, select

from towpath.catalogue.contract import Overview, QueueRow
from towpath.catalogue.workers import workers
from towpath.ledger.columns import to_instant, to_instant_or_none
from towpath.ledger.database import Transaction
from towpath.ledger.tables import (
    document_processing_jobs,
    documents,
    processing_runs,
    provider_calls,
    provider_gates,
)

_jobs = document_processing_jobs.c

#: The window of the throughput plot, and the width of one of its bars.
WINDOW = timedelta(hours=1)
BAR = timedelta(minutes=1)


def overview(tx: Transaction, org_id: str | None, now: datetime) -> Overview:
    def mine(column: ColumnElement[Any]) -> list[ColumnElement[bool]]:
        return [] if org_id is None else [column == org_id]

    return Overview(
        queue=_queue(tx, mine(_jobs.org_id)),
        providers=_providers(tx, mine(provider_calls.c.org_id), now),
        gates=_gates(tx, now),
        workers=workers(tx, mine(_jobs.org_id), now),
        failures=_failures(tx, mine(_jobs.org_id)),
        throughput=_throughput(tx, mine(processing_runs.c.org_id), now),
        documents=_documents(tx, mine(documents.c.org_id)),
    )


Mine = list[ColumnElement[bool]]


def _queue(tx: Transaction, mine: Mine) -> list[QueueRow]:
    query = (
        select(
            _jobs.stage,
            _jobs.status,
            func.count().label("jobs"),
            func.min(_jobs.available_at).label("oldest"),
        )
        .where(_jobs.status.in_(["PENDING", "PROCESSING", "FAILED"]), *mine)
        .group_by(_jobs.stage, _jobs.status)
        .order_by(_jobs.stage, _jobs.status)
    )
    found = tx.connection.execute(query)
    return [QueueRow(row.stage, row.status, row.jobs, to_instant_or_none(row.oldest)) for row in found]


def _providers(tx: Transaction, mine: Mine, now: datetime) -> list[dict[str, object]]:
    call = provider_calls.c
    waits = _waits(tx, mine, now)
    query = (
        select(
            call.provider,
            call.model,
            func.count().filter(call.status == "ANSWERED").label("made"),
            func.sum(call.reused).label("reused"),
            func.sum(call.reopened).label("paid_twice"),
            func.sum(call.cost).label("cost"),
        )
        .where(*mine)
        .group_by(call.provider, call.model)
        .order_by(call.provider, call.model)
    )
    idle = {"waiting": 0, "busy_until": None}
    return [
        {**row, **waits.get((row["provider"], row["model"]), idle)}
        for row in tx.connection.execute(query).mappings()
    ]


def _waits(tx: Transaction, mine: Mine, now: datetime) -> dict[tuple[str, str], dict[str, object]]:
    """Who keeps jobs waiting: a call of theirs is open or was turned away, and they try again at a known time."""
    call = provider_calls.c
    query = (
        select(
            call.provider,
            call.model,
            func.count(_jobs.id.distinct()).label("waiting"),
            func.max(_jobs.available_at).label("until"),
        )
        # By document as well, which is what the calls are indexed by.
        .join(document_processing_jobs, (_jobs.document_id == call.document_id) & (_jobs.id == call.job_id))
        .where(
            call.status != "ANSWERED",
            _jobs.status == "PENDING",
            _jobs.waiting_for.is_not(None),
            _jobs.available_at > now,
            *mine,
        )
        .group_by(call.provider, call.model)
    )
    return {
        (row.provider, row.model): {"waiting": row.waiting, "busy_until": to_instant_or_none(row.until)}
        for row in tx.connection.execute(query)
    }


def _gates(tx: Transaction, now: datetime) -> list[dict[str, object]]:
    """Providers that are left alone for now: by all organizations, since they share the account."""
    gate = provider_gates.c
    query = select(gate.provider, gate.closed_until, gate.reason).where(gate.closed_until > now)
    return [dict(row) for row in tx.connection.execute(query.order_by(gate.provider)).mappings()]


def _failures(tx: Transaction, mine: Mine) -> list[dict[str, object]]:
    """The latest failures, grouped by stage and error."""
    query = (
        select(_jobs.stage, processing_runs.c.error, processing_runs.c.failure_type)
        .join(processing_runs, processing_runs.c.id == _jobs.run_id)
        .where(_jobs.status == "FAILED", *mine)
        .order_by(_jobs.updated_at.desc())
        .limit(1000)
    )
    groups = Counter((row.stage, row.error or "", row.failure_type) for row in tx.connection.execute(query))
    return [
        {"stage": stage, "error": error, "failure_type": kind, "jobs": jobs}
        for (stage, error, kind), jobs in groups.most_common(50)
    ]


def _throughput(tx: Transaction, mine: Mine, now: datetime) -> list[dict[str, object]]:
    run = processing_runs.c
    query = (
        select(run.state, run.created_at, run.ended_at)
        .where((run.ended_at > now - WINDOW) | (run.created_at > now - WINDOW), *mine)
        .limit(100_000)
    )
    queued: Counter[int] = Counter()
    completed: Counter[int] = Counter()
    failed: Counter[int] = Counter()
    for row in tx.connection.execute(query):
        queued[_bar(row.created_at, now)] += 1
        if row.ended_at is not None:
            (completed if row.state == "COMPLETED" else failed)[_bar(row.ended_at, now)] += 1
    return [
        {"at": now - BAR * bar, "queued": queued[bar], "completed": completed[bar], "failed": failed[bar]}
        for bar in range(int(WINDOW / BAR) - 1, -1, -1)
    ]


def _bar(at: object, now: datetime) -> int:
    return int((now - to_instant(at)) / BAR)


def _documents(tx: Transaction, mine: Mine) -> dict[str, object]:
    query = select(documents.c.status, func.count()).where(*mine).group_by(documents.c.status)
    return {row[0]: row[1] for row in tx.connection.execute(query)}
