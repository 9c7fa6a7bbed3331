"""Inserts processed documents by SQL: the rows that an upload of a note and its six stages leave behind."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta

from sqlalchemy import text

from towpath.ledger.columns import to_text
from towpath.ledger.database import Database, Transaction
from towpath.model.ids import DEFAULT_ORG_ID

STAGES = ("extract", "save_markdown", "chunk", "embed", "publish", "connect")
EVENTS = ("RUN_QUEUED", "RUN_STARTED", "STEP_STARTED", "STEP_COMPLETED", "RUN_COMPLETED")
START = datetime(2025, 1, 1, tzinfo=UTC)
PER_TRANSACTION = 20_000
#: Spreads ids over the whole range, as random ids do: rows that are neighbours in time are not neighbours in an index.
_SPREAD = 2_654_435_761
_MASK = 0xFFFFFFFF

_RESULT = json.dumps(
    {"chunks": "inline:" + "eAE1jlEKgzAQRO" * 20, "calls": {"made": 1, "reused": 0, "cost": 0.0}}
)
_SUMMARY = json.dumps({"title": "A note", "language": "en", "pages": None, "words": 350, "chunks": 2})
_OPTIONS = json.dumps(
    {
        "means": {"towpath": "0.2.0", "reader": "local"},
        "stages": {"order": STAGES[:-1], "follow_ups": STAGES[-1:], "variants": {}, "fingerprints": {}},
    }
)


def document_id(number: int) -> str:
    return f"{(number * _SPREAD) & _MASK:08x}-0000-5000-8000-{number:012x}"


def add_documents(database: Database, first: int, end: int) -> None:
    """Insert the completed documents with these numbers, each with its run, six jobs and five events."""
    for start in range(first, end, PER_TRANSACTION):
        numbers = range(start, min(end, start + PER_TRANSACTION))
        database.transact(lambda tx, numbers=numbers: _insert(tx, numbers))


def _insert(tx: Transaction, numbers: range) -> None:
    values = {
        "first": numbers.start,
        "last": numbers.stop - 1,
        "org": DEFAULT_ORG_ID,
        "result": _RESULT,
        "summary": _SUMMARY,
        "options": _OPTIONS,
        "start": START if tx.dialect == "postgres" else to_text(START),
    }
    for statement in _STATEMENTS:
        written = _written(statement, tx.dialect)
        used = {name: value for name, value in values.items() if f":{name}" in written}
        tx.connection.execute(text(written), used)


def _written(statement: str, dialect: str) -> str:
    """The statement with the functions of the dialect. One document was uploaded each second."""
    if dialect == "postgres":
        functions = {
            "at": f"(cast(:start as timestamptz) + n * interval '{timedelta(seconds=1).seconds} second')",
            "numbers": "generate_series(cast(:first as bigint), cast(:last as bigint)) as numbers(n)",
            "json": "as jsonb",
            "uuid": "as uuid",
            "true": "true",
        }
        made = (
            "cast(lpad(to_hex((n * {spread}) & {mask}), 8, '0') || '-0000-{kind}-8' || lpad(to_hex({part}), 3, '0')"
            " || '-' || lpad(to_hex(n), 12, '0') as uuid)"
        )
        of_pairs = "(values {rows}) as {name}(part, name)"
    else:
        functions = {
            # Text in the format of the ledger; SQLite's functions have no microseconds.
            "at": "(strftime('%Y-%m-%dT%H:%M:%S', julianday(:start) + n / 86400.0) || '.000000+00:00')",
            "numbers": "(with recursive r(n) as (select :first union all select n + 1 from r where n < :last)"
            " select n from r)",
            "json": "as text",
            "uuid": "as text",
            "true": "1",
        }
        made = "printf('%08x-0000-{kind}-8%03x-%012x', (n * {spread}) & {mask}, {part}, n)"
        of_pairs = "(select column1 as part, column2 as name from (values {rows})) as {name}"
    for name, kind, part in (("document", 5000, "0"), ("run", 6000, "0"), ("job", 7000, "part")):
        functions[name] = made.format(kind=kind, part=part, spread=_SPREAD, mask=_MASK)
    for name, values in (("stages", STAGES), ("events", EVENTS)):
        rows = ", ".join(f"({number}, '{value}')" for number, value in enumerate(values))
        functions[name] = of_pairs.format(rows=rows, name=name)
    return statement.format_map({name.upper(): value for name, value in functions.items()})


_STATEMENTS = (
    """
    insert into documents (id, org_id, kind, name, media_type, size, sha256, blob_key, status, published_run_id,
      summary, uploaded, collection, created_at, updated_at)
    select {DOCUMENT}, cast(:org {UUID}), 'document', 'note ' || n || '.txt', 'text/plain', 2000 + n % 1000,
      'sha of note ' || n, 'orgs/1/originals/' || n, 'COMPLETED', {RUN}, cast(:summary {JSON}), {TRUE},
      'collection ' || (n % 20), {AT}, {AT}
    from {NUMBERS}
    """,
    """
    insert into processing_runs (id, org_id, document_id, pipeline, pipeline_version, state, options, reason,
      deadline_seconds, created_at, started_at, ended_at)
    select {RUN}, cast(:org {UUID}), {DOCUMENT}, 'document', 1, 'COMPLETED', cast(:options {JSON}), 'submitted', 120,
      {AT}, {AT}, {AT}
    from {NUMBERS}
    """,
    """
    insert into document_processing_jobs (id, org_id, document_id, run_id, stage, status, follow_up, result,
      max_attempts, available_at, locked_by, locked_at, lease_epoch, created_at, started_at, completed_at, updated_at)
    select {JOB}, cast(:org {UUID}), {DOCUMENT}, {RUN}, name, 'COMPLETED', part = 5, cast(:result {JSON}), 5, {AT},
      'worker', {AT}, 1, {AT}, {AT}, {AT}, {AT}
    from {NUMBERS} cross join {STAGES}
    """,
    """
    insert into run_events (org_id, run_id, kind, at)
    select cast(:org {UUID}), {RUN}, name, {AT} from {NUMBERS} cross join {EVENTS}
    """,
)
