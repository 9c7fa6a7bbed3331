"""What Prometheus is told beside the overview: the last hour, read from the events that workers leave behind.

Only the newest events are looked at, so that a scrape costs the same whatever the size of the history.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any, cast

from sqlalchemy import func, select

from towpath.catalogue.contract import Figures
from towpath.ledger.columns import to_instant, to_json
from towpath.ledger.database import Transaction
from towpath.ledger.tables import document_processing_jobs, documents, processing_runs, run_events
from towpath.model.work import EventKind

_jobs, _events, _runs = document_processing_jobs.c, run_events.c, processing_runs.c

WINDOW = timedelta(hours=1)
#: Events looked at, at most.
NEWEST = 50_000
_IDS_AT_ONCE = 500
_FOREIGN_KEY = ("ForeignKeyViolation", "FOREIGN KEY constraint failed")

#: Upper bounds of the size classes by which processing time is told, in bytes.
SIZES = ((100_000, "100 kB"), (1_000_000, "1 MB"), (10_000_000, "10 MB"), (100_000_000, "100 MB"))


def figures(tx: Transaction, now: datetime) -> Figures:
    newest = tx.connection.execute(select(func.max(_events.id))).scalar() or 0
    query = select(_events.kind, _events.stage, _events.run_id, _events.job_id, _events.detail).where(
        _events.id > newest - NEWEST, _events.at > now - WINDOW
    )
    rows = tx.connection.execute(query).all()
    errors = [str(to_json(row.detail).get("error", "")) for row in rows if row.kind.startswith("STEP_")]
    finished = [str(row.job_id) for row in rows if row.kind == "STEP_COMPLETED" and row.job_id is not None]
    completed = [str(row.run_id) for row in rows if row.kind == "RUN_COMPLETED"]
    seconds, runs = _by_size(tx, completed)
    return Figures(
        # All kinds: an alert that compares two finds nothing to compare where one of them never happened.
        events=dict.fromkeys(map(str, EventKind), 0) | Counter(str(row.kind) for row in rows),
        foreign_key_violations=sum(any(word in error for word in _FOREIGN_KEY) for error in errors),
        silent=_silent(tx, now),
        run_seconds=seconds,
        runs=runs,
        retried_calls=_retried(tx, finished),
        chunks=_switched(to_json(row.detail) for row in rows if row.stage == "publish"),
        stages_reused=_stages_reused(tx, completed),
    )


def _silent(tx: Transaction, now: datetime) -> dict[str, int]:
    """Jobs PROCESSING whose lease ran out: nobody has heard of their worker, and nobody has rescued them."""
    query = (
        select(_jobs.stage, func.count().label("jobs"))
        .where(_jobs.status == "PROCESSING", _jobs.lease_until < now)
        .group_by(_jobs.stage)
    )
    return {row.stage: int(row.jobs) for row in tx.connection.execute(query)}


def _by_size(tx: Transaction, run_ids: list[str]) -> tuple[Counter[str], Counter[str]]:
    """Seconds from start to end, and how many runs, for each class of size."""
    seconds: Counter[str] = Counter()
    runs: Counter[str] = Counter()
    for batch in _batches(run_ids):
        query = (
            select(_runs.started_at, _runs.ended_at, documents.c.size)
            .join(documents, documents.c.id == _runs.document_id)
            .where(_runs.id.in_(batch), _runs.started_at.is_not(None))
        )
        for row in tx.connection.execute(query):
            size = next((name for limit, name in SIZES if row.size <= limit), "more")
            seconds[size] += (to_instant(row.ended_at) - to_instant(row.started_at)).total_seconds()  # pyright: ignore[reportArgumentType]  (a counter may count parts of seconds)
            runs[size] += 1
    return seconds, runs


def _retried(tx: Transaction, job_ids: list[str]) -> Counter[str]:
    """What jobs that had failed or crashed before asked of providers when they succeeded."""
    retried: Counter[str] = Counter(made=0, reused=0)
    for batch in _batches(job_ids):
        query = select(_jobs.result).where(_jobs.id.in_(batch), (_jobs.attempts > 0) | (_jobs.crashes > 0))
        for result in tx.connection.execute(query).scalars():
            calls = cast("dict[str, Any]", to_json(result).get("calls") or {})
            retried.update(made=int(calls.get("made", 0)), reused=int(calls.get("reused", 0)))
    return retried


def _switched(details: Iterable[dict[str, object]]) -> Counter[str]:
    """What publishing did to chunks."""
    chunks: Counter[str] = Counter(added=0, kept=0, removed=0)
    for detail in details:
        switched = cast("dict[str, Any]", detail.get("chunks") or {})
        chunks.update({name: int(switched.get(name, 0)) for name in list(chunks)})
    return chunks


def _stages_reused(tx: Transaction, run_ids: list[str]) -> int:
    """Finished stages that resumed runs took over instead of doing them again."""
    total = 0
    for batch in _batches(run_ids):
        owners = select(_runs.document_id).where(_runs.id.in_(batch), _runs.resumes_run_id.is_not(None))
        query = select(func.count()).where(
            _jobs.document_id.in_(owners), _jobs.run_id.in_(batch), _jobs.reused_from.is_not(None)
        )
        total += int(tx.connection.execute(query).scalar_one())
    return total


def _batches(ids: list[str]) -> Iterable[list[str]]:
    return (ids[start : start + _IDS_AT_ONCE] for start in range(0, len(ids), _IDS_AT_ONCE))
