"""Reads the history of the last days: runs and costs by day, and how long stages waited and worked.

Only the newest rows are read, in the order of their ids, so that the cost does not grow with the library.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Any

from sqlalchemy import select

from towpath.ledger.columns import to_instant
from towpath.ledger.database import Transaction
from towpath.ledger.tables import document_processing_jobs, processing_runs, provider_calls
from towpath.model.job import JobStatus
from towpath.queries.contract import DayFigures, OperationsHistory, StageTimes

_jobs, _runs, _calls = document_processing_jobs.c, processing_runs.c, provider_calls.c
DAYS = 14
#: Rows of each table that are read.
MAX_ROWS = 20_000
MAX_JOBS = 5_000


def operations_history(tx: Transaction, org_id: str, now: datetime) -> OperationsHistory:
    since = datetime.combine(now.astimezone(UTC).date() - timedelta(days=DAYS - 1), datetime.min.time(), UTC)
    completed: defaultdict[date, int] = defaultdict(int)
    failed: defaultdict[date, int] = defaultdict(int)
    cost: defaultdict[date, float] = defaultdict(float)
    runs = (
        select(_runs.state, _runs.ended_at)
        .where(_runs.org_id == org_id, _runs.ended_at >= since)
        .order_by(_runs.id.desc())
        .limit(MAX_ROWS)
    )
    for row in tx.connection.execute(runs):
        day = to_instant(row.ended_at).astimezone(UTC).date()
        (completed if row.state == "COMPLETED" else failed)[day] += 1
    calls = (
        select(_calls.answered_at, _calls.cost)
        .where(_calls.org_id == org_id, _calls.cost > 0, _calls.answered_at >= since)
        .order_by(_calls.id.desc())
        .limit(MAX_ROWS)
    )
    for row in tx.connection.execute(calls):
        cost[to_instant(row.answered_at).astimezone(UTC).date()] += row.cost
    days = [since.date() + timedelta(days=number) for number in range(DAYS)]
    return OperationsHistory(
        days=[DayFigures(day, completed[day], failed[day], round(cost[day], 6)) for day in days],
        stages=_stage_times(tx, org_id),
    )


def _stage_times(tx: Transaction, org_id: str) -> list[StageTimes]:
    query = (
        select(_jobs.stage, _jobs.created_at, _jobs.started_at, _jobs.completed_at)
        .where(_jobs.org_id == org_id, _jobs.status == JobStatus.COMPLETED, _jobs.reused_from.is_(None))
        .where(_jobs.started_at.is_not(None), _jobs.completed_at.is_not(None))
        .order_by(_jobs.id.desc())
        .limit(MAX_JOBS)
    )
    waited: defaultdict[str, list[float]] = defaultdict(list)
    worked: defaultdict[str, list[float]] = defaultdict(list)
    for row in tx.connection.execute(query):
        waited[row.stage].append(_seconds(row.created_at, row.started_at))
        worked[row.stage].append(_seconds(row.started_at, row.completed_at))
    return [
        StageTimes(
            stage=stage,
            jobs=len(times),
            p50=percentile(times, 0.5),
            p95=percentile(times, 0.95),
            longest=max(times),
            waited_p50=percentile(waited[stage], 0.5),
            waited_p95=percentile(waited[stage], 0.95),
        )
        for stage, times in sorted(worked.items())
    ]


def _seconds(start: Any, end: Any) -> float:
    return max(0.0, (to_instant(end) - to_instant(start)).total_seconds())


def percentile(values: Sequence[float], share: float) -> float:
    """The nearest-rank percentile."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]
