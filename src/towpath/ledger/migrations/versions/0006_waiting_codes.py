"""Replaces sentences by codes: why a job waits, what progress counts, why a provider is throttled.

The version before this one stored an English sentence in `waiting_for`. This migration is the only code that
reads those sentences. It stores each one in `waiting_detail`, with the code that fits best beside it.
It also renames `provider_gates` to `provider_throttles` and adds the view `processing_jobs`.
"""

from __future__ import annotations

import json
import re
from typing import Any, cast

import sqlalchemy as sa
from alembic import op

from towpath.ledger import columns

revision = "0006"
down_revision = "0005"

_EARLIER_RUN = re.compile(r"run ([0-9a-f-]{36}) of the same document")
_PROVIDER = re.compile(r"([a-z0-9][a-z0-9_.-]*): (.*)", re.DOTALL)
_LIMIT = re.compile(r"a free place \(|its allowance of |the other workers to make room")
_REFUSED = re.compile(r"refused the key|has no credit left")
_OPERATION = re.compile(r"the transcript by (.+)", re.DOTALL)
_SAME_CALL = re.compile(r"another job that is making the same call to (.+)", re.DOTALL)
_STORAGE = re.compile(r"Blob Storage|Others keep writing the same blob")

#: What the stages of the version before this one counted.
_UNITS = {
    "extract": "page",
    "extract_audio": "second",
    "transcribe_poll": "window",
    "embed": "chunk",
    "connect": "document",
}
_BATCH = 1000

_jobs = sa.table(
    "document_processing_jobs",
    sa.column("id", columns.Id),
    sa.column("stage", sa.Text),
    sa.column("progress", columns.Json),
    sa.column("available_at", columns.Instant),
    sa.column("waiting_for", sa.Text),
    sa.column("waiting_reason", sa.Text),
    sa.column("waiting_provider", sa.Text),
    sa.column("waiting_until", columns.Instant),
    sa.column("waiting_run_id", columns.Id),
    sa.column("waiting_detail", sa.Text),
)
_events = sa.table(
    "run_events",
    sa.column("id", columns.Serial),
    sa.column("kind", sa.Text),
    sa.column("detail", columns.Json),
)
_throttles = sa.table(
    "provider_throttles",
    sa.column("provider", sa.Text),
    sa.column("throttled_until", columns.Instant),
    sa.column("reason", sa.Text),
    sa.column("detail", sa.Text),
    sa.column("updated_at", columns.Instant),
)
_gates = sa.table(
    "provider_gates",
    sa.column("provider", sa.Text),
    sa.column("closed_until", columns.Instant),
    sa.column("reason", sa.Text),
    sa.column("updated_at", columns.Instant),
)


def upgrade() -> None:
    _move_throttles()
    for column in (
        sa.Column("waiting_reason", sa.Text),
        sa.Column("waiting_provider", sa.Text),
        sa.Column("waiting_until", columns.Instant),
        sa.Column("waiting_run_id", columns.Id),
        sa.Column("waiting_detail", sa.Text),
    ):
        op.add_column("document_processing_jobs", column)
    connection = op.get_bind()
    _convert_jobs(connection)
    _convert_progress(connection)
    _convert_events(connection)
    op.drop_column("document_processing_jobs", "waiting_for")
    _create_view(connection)


def _move_throttles() -> None:
    """A new table, since SQLite cannot rename a primary key's constraint."""
    op.create_table(
        "provider_throttles",
        sa.Column("provider", sa.Text, nullable=False),
        sa.Column("throttled_until", columns.Instant, nullable=False),
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("detail", sa.Text, nullable=False),
        sa.Column("updated_at", columns.Instant, nullable=False),
        sa.PrimaryKeyConstraint("provider", name="pk_provider_throttles"),
    )
    connection = op.get_bind()
    rows = [
        {
            "provider": row.provider,
            "throttled_until": row.closed_until,
            "reason": _throttle_reason(row.reason),
            "detail": row.reason,
            "updated_at": row.updated_at,
        }
        for row in connection.execute(sa.select(_gates))
    ]
    if rows:
        connection.execute(sa.insert(_throttles), rows)
    op.drop_table("provider_gates")


def _convert_jobs(connection: sa.Connection) -> None:
    rows = connection.execute(
        sa.select(_jobs.c.id, _jobs.c.available_at, _jobs.c.waiting_for).where(
            _jobs.c.waiting_for.is_not(None)
        )
    ).all()
    for row in rows:
        codes = waiting_codes(row.waiting_for)
        until = None if codes["waiting_reason"] == "earlier_run" else row.available_at
        connection.execute(
            sa.update(_jobs)
            .where(_jobs.c.id == row.id)
            .values(**codes, waiting_until=until, waiting_detail=row.waiting_for)
        )


def _convert_progress(connection: sa.Connection) -> None:
    stored = sa.select(_jobs.c.id, _jobs.c.stage, _jobs.c.progress).where(_jobs.c.progress.is_not(None))
    result = connection.execute(stored).all()
    update = (
        sa.update(_jobs)
        .where(_jobs.c.id == sa.bindparam("job_id"))
        .values(progress=sa.bindparam("new_progress", type_=columns.Json))
    )
    rows = [
        {
            "job_id": row.id,
            "new_progress": {**_object(row.progress), "unit": _UNITS.get(row.stage, "batch")},
        }
        for row in result
        if "total" in _object(row.progress)
    ]
    for start in range(0, len(rows), _BATCH):
        connection.execute(update, rows[start : start + _BATCH])


def _convert_events(connection: sa.Connection) -> None:
    update = (
        sa.update(_events)
        .where(_events.c.id == sa.bindparam("event_id"))
        .values(detail=sa.bindparam("new_detail", type_=columns.Json))
    )
    last = 0
    while True:
        page = (
            sa.select(_events.c.id, _events.c.detail)
            .where(_events.c.id > last, _events.c.kind == "STEP_SUSPENDED")
            .order_by(_events.c.id)
            .limit(_BATCH)
        )
        events = connection.execute(page).all()
        if not events:
            return
        last = events[-1].id
        connection.execute(
            update,
            [{"event_id": event.id, "new_detail": _event_detail(_object(event.detail))} for event in events],
        )


def _event_detail(detail: dict[str, Any]) -> dict[str, Any]:
    sentence = str(detail.get("waiting_for") or "")
    codes = waiting_codes(sentence)
    return {
        "waiting_reason": codes["waiting_reason"],
        "waiting_provider": codes["waiting_provider"],
        "waiting_until": detail.get("until"),
        "waiting_detail": sentence or None,
    }


def waiting_codes(sentence: str) -> dict[str, str | None]:
    """The code, provider and run of a sentence that the version before this one stored."""
    provider: str | None = None
    run_id: str | None = None
    if found := _EARLIER_RUN.fullmatch(sentence):
        reason, run_id = "earlier_run", found[1]
    elif found := _OPERATION.fullmatch(sentence):
        reason, provider = "provider_operation", found[1]
    elif found := _SAME_CALL.fullmatch(sentence):
        reason, provider = "same_call_elsewhere", found[1]
    elif sentence == "the provider's answer":
        reason = "provider_operation"
    elif sentence.startswith("a worker that knows the stage "):
        reason = "unknown_stage"
    elif sentence == "its next turn":
        reason = "free_worker"
    elif sentence == "released by a worker that shut down":
        reason = "worker_stopped"
    elif found := _PROVIDER.fullmatch(sentence):
        provider = found[1]
        reason = "provider_limit" if _LIMIT.match(found[2]) else _throttle_reason(found[2])
    elif _STORAGE.search(sentence):
        reason = "storage"
    else:
        reason = _throttle_reason(sentence)
    return {"waiting_reason": reason, "waiting_provider": provider, "waiting_run_id": run_id}


def _throttle_reason(sentence: str) -> str:
    return "provider_refused" if _REFUSED.search(sentence) else "provider_throttled"


def _object(value: object) -> dict[str, Any]:
    loaded = json.loads(value) if isinstance(value, str) else value
    return cast("dict[str, Any]", loaded) if isinstance(loaded, dict) else {}


def _create_view(connection: sa.Connection) -> None:
    """The view runs with the rights of its reader, so that row-level security applies to it."""
    options = "with (security_invoker = true) " if connection.dialect.name == "postgresql" else ""
    op.execute(f"create view processing_jobs {options}as select * from document_processing_jobs")
