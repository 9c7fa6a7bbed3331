"""Computes the metrics of the last hour for Prometheus from the events of runs.

Only the newest events are read, so that the cost of a scrape does not grow with the history.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any, cast

from sqlalchemy import func, select

from towpath.ledger.columns import to_instant, to_json
from towpath.ledger.database import Transaction
from towpath.ledger.database_errors import FOREIGN_KEY_CODES
from towpath.ledger.tables import document_processing_jobs, documents, processing_runs, run_events
from towpath.model.event import EventKind
from towpath.queries.contract import HourlyMetrics
from towpath.queries.job_status_condition import has_status

_jobs, _events, _runs = document_processing_jobs.c, run_events.c, processing_runs.c

WINDOW = timedelta(hours=1)
#: Maximum number of events that are read.
MAX_EVENTS = 50_000
_IDS_PER_QUERY = 500
_ERRORS = frozenset({EventKind.STEP_RETRIED, EventKind.STEP_FAILED})

#: Upper bounds of the size classes of processing time, in bytes.
SIZE_CLASSES = ((100_000, "100 kB"), (1_000_000, "1 MB"), (10_000_000, "10 MB"), (100_000_000, "100 MB"))


def hourly_metrics(tx: Transaction, org_id: str | None, now: datetime) -> HourlyMetrics:
    """The metrics of one organization, or of all."""
    newest = tx.connection.execute(select(func.max(_events.id))).scalar() or 0
    query = select(_events.kind, _events.stage, _events.run_id, _events.job_id, _events.detail).where(
        _events.id > newest - MAX_EVENTS, _events.at > now - WINDOW
    )
    if org_id is not None:
        query = query.where(_events.org_id == org_id)
    rows = tx.connection.execute(query).all()
    codes = [to_json(row.detail).get("error_code") for row in rows if row.kind in _ERRORS]
    finished = [str(row.job_id) for row in rows if row.kind == "STEP_COMPLETED" and row.job_id is not None]
    completed = [str(row.run_id) for row in rows if row.kind == "RUN_COMPLETED"]
    seconds, runs = _by_size(tx, completed)
    return HourlyMetrics(
        # All kinds, also those with a count of 0: an alert rule needs both series of a comparison.
        events=dict.fromkeys(map(str, EventKind), 0) | Counter(str(row.kind) for row in rows),
        foreign_key_violations=sum(code in FOREIGN_KEY_CODES for code in codes),
        expired_leases=_expired_leases(tx, org_id, now),
        run_seconds=seconds,
        runs=runs,
        retried_calls=_calls_of_retried_jobs(tx, finished),
        chunks=_publish_counts(to_json(row.detail) for row in rows if row.stage == "publish"),
        stages_reused=_stages_reused(tx, completed),
    )


def _expired_leases(tx: Transaction, org_id: str | None, now: datetime) -> dict[str, int]:
    """PROCESSING jobs with an expired lease that no worker has rescued yet, by stage."""
    query = (
        select(_jobs.stage, func.count().label("jobs"))
        .where(has_status("PROCESSING"), _jobs.lease_until < now)
        .group_by(_jobs.stage)
    )
    if org_id is not None:
        query = query.where(_jobs.org_id == org_id)
    return {row.stage: int(row.jobs) for row in tx.connection.execute(query)}


def _by_size(tx: Transaction, run_ids: list[str]) -> tuple[Counter[str], Counter[str]]:
    """Total seconds from start to end, and the number of runs, by size class."""
    seconds: Counter[str] = Counter()
    runs: Counter[str] = Counter()
    for batch in _batches(run_ids):
        query = (
            select(_runs.started_at, _runs.ended_at, documents.c.size)
            .join(documents, documents.c.id == _runs.document_id)
            .where(_runs.id.in_(batch), _runs.started_at.is_not(None))
        )
        for row in tx.connection.execute(query):
            size = next((name for limit, name in SIZE_CLASSES if row.size <= limit), "more")
            seconds[size] += (to_instant(row.ended_at) - to_instant(row.started_at)).total_seconds()  # pyright: ignore[reportArgumentType]  (a counter may count parts of seconds)
            runs[size] += 1
    return seconds, runs


def _calls_of_retried_jobs(tx: Transaction, job_ids: list[str]) -> Counter[str]:
    """Provider calls made and reused by jobs that completed after a failure or crash."""
    retried: Counter[str] = Counter(made=0, reused=0)
    for batch in _batches(job_ids):
        query = select(_jobs.result).where(
            _jobs.id.in_(batch), (_jobs.attempts > 0) | (_jobs.crashes > 0) | _jobs.suspect
        )
        for result in tx.connection.execute(query).scalars():
            calls = cast("dict[str, Any]", to_json(result).get("calls") or {})
            retried.update(made=int(calls.get("made", 0)), reused=int(calls.get("reused", 0)))
    return retried


def _publish_counts(details: Iterable[dict[str, object]]) -> Counter[str]:
    """Chunks added, kept and removed by publishing."""
    chunks: Counter[str] = Counter(added=0, kept=0, removed=0)
    for detail in details:
        counts = cast("dict[str, Any]", detail.get("chunks") or {})
        chunks.update({name: int(counts.get(name, 0)) for name in list(chunks)})
    return chunks


def _stages_reused(tx: Transaction, run_ids: list[str]) -> int:
    """The number of completed stages that resumed runs reused."""
    total = 0
    for batch in _batches(run_ids):
        owners = select(_runs.document_id).where(_runs.id.in_(batch), _runs.resumes_run_id.is_not(None))
        query = select(func.count()).where(
            _jobs.document_id.in_(owners), _jobs.run_id.in_(batch), _jobs.reused_from.is_not(None)
        )
        total += int(tx.connection.execute(query).scalar_one())
    return total


def _batches(ids: list[str]) -> Iterable[list[str]]:
    return (ids[start : start + _IDS_PER_QUERY] for start in range(0, len(ids), _IDS_PER_QUERY))
