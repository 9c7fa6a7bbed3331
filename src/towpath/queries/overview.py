"""The operations overview: queue, providers, workers, failures and throughput, counted in the database."""

from __future__ import annotations

from collections import Counter
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, case, func, select

from towpath.ledger.columns import to_instant, to_instant_or_none
from towpath.ledger.database import Transaction
from towpath.ledger.tables import (
    document_processing_jobs,
    documents,
    processing_runs,
    provider_calls,
    provider_throttles,
)
from towpath.model.run import RunReason
from towpath.queries.contract import Overview, QueueRow
from towpath.queries.workers import workers

_jobs = document_processing_jobs.c

#: The reasons of runs that go on where another run stopped by itself.
_GOES_ON = frozenset({RunReason.RESUMED, RunReason.CONTINUED})
#: The window of the throughput chart, and the width of one bar.
WINDOW = timedelta(hours=1)
BAR = timedelta(minutes=1)


def overview(tx: Transaction, org_id: str | None, now: datetime) -> Overview:
    def of_organization(column: ColumnElement[Any]) -> list[ColumnElement[bool]]:
        return [] if org_id is None else [column == org_id]

    return Overview(
        queue=_queue(tx, of_organization(_jobs.org_id)),
        providers=_providers(tx, of_organization(provider_calls.c.org_id), now),
        throttles=_throttles(tx, now),
        workers=workers(tx, of_organization(_jobs.org_id), now),
        failures=_failures(tx, of_organization(_jobs.org_id)),
        throughput=_throughput(tx, of_organization(processing_runs.c.org_id), now),
        documents=_documents(tx, of_organization(documents.c.org_id)),
    )


Conditions = list[ColumnElement[bool]]


def _queue(tx: Transaction, conditions: Conditions) -> list[QueueRow]:
    query = (
        select(
            _jobs.stage,
            _jobs.status,
            func.count().label("jobs"),
            func.min(_jobs.available_at).label("oldest"),
        )
        .where(_jobs.status.in_(["PENDING", "PROCESSING", "FAILED"]), *conditions)
        .group_by(_jobs.stage, _jobs.status)
        .order_by(_jobs.stage, _jobs.status)
    )
    rows = tx.connection.execute(query)
    return [QueueRow(row.stage, row.status, row.jobs, to_instant_or_none(row.oldest)) for row in rows]


def _providers(tx: Transaction, conditions: Conditions, now: datetime) -> list[dict[str, object]]:
    call = provider_calls.c
    waits = _waiting_jobs(tx, conditions, now)
    query = (
        select(
            call.provider,
            call.model,
            func.count().filter(call.status == "ANSWERED").label("made"),
            func.sum(call.reused).label("reused"),
            # Calls made again because the answer was lost. Local work costs nothing, so it is not counted.
            func.sum(case((call.provider == "local", 0), else_=call.repeated)).label("repeated"),
            func.sum(call.cost).label("cost"),
        )
        .where(*conditions)
        .group_by(call.provider, call.model)
        .order_by(call.provider, call.model)
    )
    idle = {"waiting_jobs": 0, "waiting_until": None}
    return [
        {**row, **waits.get((row["provider"], row["model"]), idle)}
        for row in tx.connection.execute(query).mappings()
    ]


def _waiting_jobs(
    tx: Transaction, conditions: Conditions, now: datetime
) -> dict[tuple[str, str], dict[str, object]]:
    """The jobs with an unanswered call that wait for a known time, counted by provider and model."""
    call = provider_calls.c
    query = (
        select(
            call.provider,
            call.model,
            func.count(_jobs.id.distinct()).label("waiting_jobs"),
            func.max(_jobs.available_at).label("waiting_until"),
        )
        # The document too: the calls are indexed by it.
        .join(document_processing_jobs, (_jobs.document_id == call.document_id) & (_jobs.id == call.job_id))
        .where(
            call.status != "ANSWERED",
            _jobs.status == "PENDING",
            _jobs.waiting_reason.is_not(None),
            _jobs.available_at > now,
            *conditions,
        )
        .group_by(call.provider, call.model)
    )
    return {
        (row.provider, row.model): {
            "waiting_jobs": row.waiting_jobs,
            "waiting_until": to_instant_or_none(row.waiting_until),
        }
        for row in tx.connection.execute(query)
    }


def _throttles(tx: Transaction, now: datetime) -> list[dict[str, object]]:
    """The providers that are throttled now. All organizations share a provider's account."""
    throttle = provider_throttles.c
    query = (
        select(throttle.provider, throttle.throttled_until, throttle.reason, throttle.detail)
        .where(throttle.throttled_until > now)
        .order_by(throttle.provider)
    )
    return [dict(row) for row in tx.connection.execute(query).mappings()]


def _failures(tx: Transaction, conditions: Conditions) -> list[dict[str, object]]:
    """The latest failures, grouped by stage and error."""
    query = (
        select(_jobs.id, _jobs.stage, processing_runs.c.error, processing_runs.c.failure_type)
        .join(processing_runs, processing_runs.c.id == _jobs.run_id)
        .where(_jobs.status == "FAILED", *conditions)
        .order_by(_jobs.updated_at.desc())
        .limit(1000)
    )
    groups: dict[tuple[str, str, str | None], list[str]] = {}
    for row in tx.connection.execute(query):
        groups.setdefault((row.stage, row.error or "", row.failure_type), []).append(str(row.id))
    largest = sorted(groups.items(), key=lambda group: -len(group[1]))[:50]
    return [
        {"stage": stage, "error": error, "failure_type": kind, "jobs": len(job_ids), "job_ids": job_ids}
        for (stage, error, kind), job_ids in largest
    ]


def _throughput(tx: Transaction, conditions: Conditions, now: datetime) -> list[dict[str, object]]:
    run = processing_runs.c
    query = (
        select(run.id, run.state, run.created_at, run.ended_at, run.resumes_run_id, run.reason)
        .where((run.ended_at > now - WINDOW) | (run.created_at > now - WINDOW), *conditions)
        .limit(100_000)
    )
    queued: Counter[int] = Counter()
    completed: Counter[int] = Counter()
    failed: Counter[int] = Counter()
    rows = tx.connection.execute(query).all()
    # A run that goes on in a new run has not failed, and the new run is not new work.
    goes_on = {str(row.resumes_run_id) for row in rows if row.reason in _GOES_ON}
    for row in rows:
        if row.reason not in _GOES_ON:
            queued[_bar(row.created_at, now)] += 1
        if row.ended_at is not None and str(row.id) not in goes_on:
            (completed if row.state == "COMPLETED" else failed)[_bar(row.ended_at, now)] += 1
    return [
        {"at": now - BAR * bar, "queued": queued[bar], "completed": completed[bar], "failed": failed[bar]}
        for bar in range(int(WINDOW / BAR) - 1, -1, -1)
    ]


def _bar(time: object, now: datetime) -> int:
    return int((now - to_instant(time)) / BAR)


def _documents(tx: Transaction, conditions: Conditions) -> dict[str, object]:
    query = select(documents.c.status, func.count()).where(*conditions).group_by(documents.c.status)
    return {row[0]: row[1] for row in tx.connection.execute(query)}
