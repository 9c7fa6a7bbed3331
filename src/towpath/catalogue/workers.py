"""Who works, and on what: workers that were heard of lately, each with the jobs it holds."""

from __future__ import annotations

from collections import defaultdict
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, select

from towpath.catalogue.contract import Json
from towpath.ledger.columns import to_instant, to_instant_or_none, to_json
from towpath.ledger.database import Transaction
from towpath.ledger.tables import document_processing_jobs, documents
from towpath.ledger.tables import workers as signs
from towpath.ledger.verbs.signs import GONE

_jobs = document_processing_jobs.c
Row = Any

#: Jobs that are told of, at most; those held for longest come first.
MOST = 500


def workers(tx: Transaction, mine: list[ColumnElement[bool]], now: datetime) -> list[Json]:
    """Those that came first are first; then whoever holds a job and has not said who it is."""
    held = _held(tx, mine)
    alive = tx.connection.execute(
        select(signs).where(signs.c.seen_at > now - GONE).order_by(signs.c.started_at, signs.c.id)
    ).all()
    known = [_worker(row, held.pop(row.id, [])) for row in alive]
    return [*known, *(_stranger(name, jobs) for name, jobs in held.items())]


def _held(tx: Transaction, mine: list[ColumnElement[bool]]) -> dict[str, list[Row]]:
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
        .where(_jobs.status == "PROCESSING", *mine)
        .order_by(_jobs.locked_at, _jobs.id)
        .limit(MOST)
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
        "started_at": to_instant(row.started_at),
        "seen_at": max([to_instant(row.seen_at), *map(_heard, jobs)]),
        "jobs": [_job(job) for job in jobs],
    }


def _stranger(name: str, jobs: list[Row]) -> Json:
    unknown = dict.fromkeys(("host", "pid", "slots", "started_at"))
    return {
        **unknown,
        "worker": name,
        "stages": [],
        "seen_at": max(map(_heard, jobs)),
        "jobs": [_job(job) for job in jobs],
    }


def _heard(job: Row) -> datetime:
    """Heartbeats and progress leave their time with the job."""
    return to_instant(job.updated_at)


def _job(job: Row) -> Json:
    progress = to_json(job.progress)
    return {
        "document_id": str(job.document_id),
        "document_name": job.name,
        "stage": job.stage,
        "since": to_instant_or_none(job.locked_at),
        "done": progress.get("done"),
        "total": progress.get("total"),
    }
