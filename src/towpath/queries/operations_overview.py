"""Reads the operations overview: queue, providers, workers, failures and throughput."""

from __future__ import annotations

from collections import Counter
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, Row, case, func, select

from towpath.ledger.columns import to_instant, to_instant_or_none
from towpath.ledger.database import Transaction
from towpath.ledger.tables import (
    document_processing_jobs,
    documents,
    processing_runs,
    provider_calls,
    provider_throttles,
    run_events,
)
from towpath.model.event import EventKind
from towpath.model.run import RunReason
from towpath.queries.contract import Overview, QueueRow
from towpath.queries.job_status_condition import has_status
from towpath.queries.recent_events import last_event_before
from towpath.queries.workers import workers

_jobs = document_processing_jobs.c

#: The reasons of runs that go on where another run stopped by itself.
_GOES_ON = frozenset({RunReason.RESUMED, RunReason.CONTINUED})
_RUN_EVENTS = [kind for kind in EventKind if kind.startswith("RUN_")]
#: The window of the throughput chart, and the width of one bar.
WINDOW = timedelta(hours=1)
BAR = timedelta(minutes=1)
#: Documents that are listed for one failure.
MAX_LISTED = 50


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
    def with_status(status: str) -> Any:
        return (
            select(
                _jobs.stage,
                _jobs.status,
                func.count().label("jobs"),
                func.min(_jobs.available_at).label("oldest"),
            )
            .where(has_status(status), *conditions)
            .group_by(_jobs.stage, _jobs.status)
        )

    # One query for each status, because each has an index of its own. The index has no job that is completed.
    rows = [
        row
        for status in ("PENDING", "PROCESSING", "FAILED")
        for row in tx.connection.execute(with_status(status))
    ]
    return [
        QueueRow(row.stage, row.status, row.jobs, to_instant_or_none(row.oldest))
        for row in sorted(rows, key=lambda row: (row.stage, row.status))
    ]


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
    """The documents that are failed now, grouped by stage and error, and failed follow-ups of their latest runs.

    A run that was followed by another run is history, whatever became of it.
    """
    groups: dict[tuple[str, str, str | None], list[Row[Any]]] = {}
    timed_out = _jobs.document_id.in_(select(documents.c.id).where(documents.c.status == "TIMED_OUT"))
    rows = [
        *tx.connection.execute(_failed_jobs(has_status("FAILED"), *conditions)),
        # A run past its deadline has no failed job: its job was cancelled.
        *tx.connection.execute(_failed_jobs(timed_out, _jobs.status == "CANCELLED", *conditions)),
    ]
    for row in rows:
        error = _last_line(row.error_log) if row.follow_up else row.error or ""
        kind = "TIMED_OUT" if row.state == "TIMED_OUT" else row.failure_type
        groups.setdefault((row.stage, error, kind), []).append(row)
    largest = sorted(groups.items(), key=lambda group: -len(group[1]))[:50]
    return [_failure(stage, error, kind, jobs) for (stage, error, kind), jobs in largest]


def _failed_jobs(*conditions: ColumnElement[bool]) -> Any:
    """The jobs that ended the latest run of their document, newest first."""
    run, newer = processing_runs.c, processing_runs.alias("newer")
    later = document_processing_jobs.alias("later")
    return (
        select(
            *(_jobs.id, _jobs.stage, _jobs.document_id, _jobs.follow_up, documents.c.name),
            *(run.error, run.failure_type, run.state, _jobs.error_log),
        )
        .join(processing_runs, run.id == _jobs.run_id)
        .join(documents, documents.c.id == _jobs.document_id)
        .where(_jobs.follow_up | (documents.c.status == run.state), *conditions)
        .where(
            ~select(newer.c.id)
            .where(newer.c.document_id == run.document_id, newer.c.created_at > run.created_at)
            .exists()
        )
        .where(
            ~select(later.c.id)
            .where(
                later.c.document_id == _jobs.document_id,
                later.c.run_id == _jobs.run_id,
                later.c.stage == _jobs.stage,
                later.c.id > _jobs.id,
            )
            .exists()
        )
        .order_by(_jobs.updated_at.desc())
        .limit(1000)
    )


def _failure(stage: str, error: str, kind: str | None, jobs: list[Row[Any]]) -> dict[str, object]:
    # A rejected file would be rejected again, and a run past its deadline has no failed job to retry.
    can_retry = kind not in ("REJECTED", "TIMED_OUT")
    return {
        "stage": stage,
        "error": error,
        "failure_type": None if kind == "TIMED_OUT" else kind,
        "jobs": len(jobs),
        "job_ids": [str(row.id) for row in jobs] if can_retry else [],
        "can_retry": can_retry,
        "documents": [{"document_id": str(row.document_id), "name": row.name} for row in jobs[:MAX_LISTED]],
    }


def _last_line(log: str | None) -> str:
    """The last error of a job's log, without its time."""
    lines = (log or "").strip().splitlines()
    return lines[-1].partition(" ")[2] if lines else ""


def _throughput(tx: Transaction, conditions: Conditions, now: datetime) -> list[dict[str, object]]:
    run, event = processing_runs.c, run_events.c
    # Runs have no index on their times, but each of them has events: at its submission and at its end.
    recent = select(event.run_id).where(
        event.id > last_event_before(tx, now - WINDOW), event.at > now - WINDOW, event.kind.in_(_RUN_EVENTS)
    )
    query = (
        select(run.id, run.state, run.created_at, run.ended_at, run.resumes_run_id, run.reason)
        .where(run.id.in_(recent))
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
