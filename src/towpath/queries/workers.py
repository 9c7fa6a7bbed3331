"""Lists the live workers, each with the jobs that it holds."""

from __future__ import annotations

from collections import defaultdict
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, select

from towpath.ledger.columns import to_instant, to_instant_or_none, to_json
from towpath.ledger.database import Transaction
from towpath.ledger.tables import document_processing_jobs, documents
from towpath.ledger.tables import workers as registered_workers
from towpath.ledger.verbs.worker_registry import WORKER_TIMEOUT
from towpath.queries.contract import Json
from towpath.queries.job_status_condition import has_status

_jobs = document_processing_jobs.c
Row = Any

#: Maximum number of jobs; those held longest come first.
MAX_JOBS = 500


def workers(tx: Transaction, conditions: list[ColumnElement[bool]], now: datetime) -> list[Json]:
    """Registered workers by start time, then workers that hold a job without being registered."""
    held = _jobs_by_worker(tx, conditions)
    worker = registered_workers.c
    live = tx.connection.execute(
        select(registered_workers)
        .where(worker.seen_at > now - WORKER_TIMEOUT)
        .order_by(worker.started_at, worker.id)
    ).all()
    known = [_worker(row, held.pop(row.id, [])) for row in live]
    return [*known, *(_unregistered_worker(name, jobs) for name, jobs in held.items())]


def _jobs_by_worker(tx: Transaction, conditions: list[ColumnElement[bool]]) -> dict[str, list[Row]]:
    query = (
        select(
            _jobs.locked_by,
            _jobs.document_id,
            documents.c.name,
            _jobs.stage,
            _jobs.locked_at,
            _jobs.updated_at,
            _jobs.progress,
        )
        .join(documents, documents.c.id == _jobs.document_id)
        .where(has_status("PROCESSING"), *conditions)
        .order_by(_jobs.locked_at, _jobs.id)
        .limit(MAX_JOBS)
    )
    held: defaultdict[str, list[Row]] = defaultdict(list)
    for row in tx.connection.execute(query):
        held[row.locked_by or "unknown"].append(row)
    return held


def _worker(row: Row, jobs: list[Row]) -> Json:
    return {
        "worker": row.id,
        "host": row.host,
        "pid": row.pid,
        "slots": row.slots,
        "stages": row.stages,
        "settings": to_json(row.settings),
        "started_at": to_instant(row.started_at),
        "seen_at": max([to_instant(row.seen_at), *map(_last_seen, jobs)]),
        "jobs": [_job(job) for job in jobs],
    }


def _unregistered_worker(name: str, jobs: list[Row]) -> Json:
    unknown = dict.fromkeys(("host", "pid", "slots", "started_at"))
    return {
        **unknown,
        "worker": name,
        "stages": [],
        "seen_at": max(map(_last_seen, jobs)),
        "jobs": [_job(job) for job in jobs],
    }


def _last_seen(job: Row) -> datetime:
    """The time of the last heartbeat or progress of the job."""
    return to_instant(job.updated_at)


def _job(job: Row) -> Json:
    progress = to_json(job.progress)
    return {
        "document_id": str(job.document_id),
        "document_name": job.name,
        "stage": job.stage,
        "since": to_instant_or_none(job.locked_at),
        "progress": progress or None,
    }
