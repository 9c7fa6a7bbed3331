"""Queries that run often or hold the writer read no more rows when the library is larger."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import event, insert, text

from bench.growth.ledger_rows import START, add_documents
from tests.support.databases import EngineUnderTest
from towpath.ledger.database import Transaction
from towpath.ledger.tables import run_events
from towpath.ledger.verbs.prune import prune
from towpath.model.ids import DEFAULT_ORG_ID, new_id
from towpath.queries.library_activity import library_activity
from towpath.queries.metrics import hourly_metrics
from towpath.queries.operations_overview import overview
from towpath.queries.recent_events import DISORDER, last_event_before
from towpath.worker.retention import BATCH

DOCUMENTS = 3_000
NOW = START + timedelta(seconds=DOCUMENTS, days=30)


def _plans(engine: EngineUnderTest, read: Callable[[Transaction], object]) -> str:
    """The plans of all statements of ``read``."""
    statements: list[tuple[str, object]] = []

    def record(
        _connection: object, _cursor: object, statement: str, parameters: object, *_rest: object
    ) -> None:
        statements.append((statement, parameters))

    event.listen(engine.database.engine, "before_cursor_execute", record)
    try:
        engine.database.transact(read)
    finally:
        event.remove(engine.database.engine, "before_cursor_execute", record)
    explain = "explain query plan" if engine.database.dialect == "sqlite" else "explain"

    def plans(tx: Transaction) -> list[str]:
        return [
            f"{statement}: {row[-1]}"
            for statement, parameters in statements
            for row in tx.connection.exec_driver_sql(f"{explain} {statement}", parameters)  # pyright: ignore[reportArgumentType]
        ]

    return "\n".join(engine.database.transact(plans))


def test_pruning_a_run_does_not_read_all_documents(engine: EngineUnderTest) -> None:
    # Many times a batch: for a large share of the documents the planner may rightly read the table.
    add_documents(engine.database, 0, 40 * BATCH)
    _analyze(engine)
    # The runs are old enough, but each is the latest one of its document.
    plans = _plans(engine, lambda tx: prune(tx, "runs", NOW, None, BATCH))
    assert "published_run_id" in plans
    assert not re.search(r"SCAN documents\b|Seq Scan on (documents|document_processing_jobs)\b", plans), plans


@pytest.mark.parametrize("engine", ["sqlite"], indirect=True)
def test_counts_of_the_queue_do_not_read_completed_jobs(engine: EngineUnderTest) -> None:
    add_documents(engine.database, 0, DOCUMENTS)
    _analyze(engine)

    def read(tx: Transaction) -> None:
        overview(tx, DEFAULT_ORG_ID, NOW)
        hourly_metrics(tx, None, NOW)
        library_activity(tx, DEFAULT_ORG_ID)

    plans = _plans(engine, read)
    assert not re.search(r"SCAN (document_processing_jobs|processing_runs|run_events)\b(?!.*ix_)", plans), (
        plans
    )


def test_recent_events_are_found_by_their_ids(engine: EngineUnderTest) -> None:
    now = datetime(2026, 1, 2, tzinfo=UTC)
    count = 5_000

    def add(tx: Transaction) -> None:
        rows = [
            {
                "org_id": DEFAULT_ORG_ID,
                "run_id": new_id(),
                "kind": "RUN_QUEUED",
                "at": now - timedelta(seconds=count - number),
            }
            for number in range(count)
        ]
        tx.connection.execute(insert(run_events), rows)

    assert engine.database.transact(lambda tx: last_event_before(tx, now)) == 0
    engine.database.transact(add)
    newest = engine.database.transact(
        lambda tx: int(tx.connection.execute(text("select max(id) from run_events")).scalar_one())
    )

    def found(since: datetime) -> int:
        return engine.database.transact(lambda tx: last_event_before(tx, since))

    assert found(now) == newest - 1_024
    assert found(now - timedelta(seconds=1_500)) == newest - 2_048
    assert found(now - timedelta(seconds=4_000) + DISORDER) == newest - 4_096
    assert found(now - timedelta(days=1)) == 0


def _analyze(engine: EngineUnderTest) -> None:
    with engine.database.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.execute(text("analyze"))
