"""Filters and orders of lists read their indexes on both engines: a lost index would make large libraries slow."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import Select, event, text

from tests.support.databases import EngineUnderTest
from towpath.ledger.database import Transaction
from towpath.ledger.document_filters import matching_count
from towpath.ledger.tables import document_metadata, document_tags, documents
from towpath.model.document_filters import NO_FILTERS, Filters
from towpath.model.ids import DEFAULT_ORG_ID
from towpath.queries.contract import Sort
from towpath.queries.document_list import list_documents

IN_RANGE = Filters(
    created_from=datetime(2026, 1, 1, tzinfo=UTC), created_before=datetime(2026, 7, 1, tzinfo=UTC)
)
DOCUMENTS = 400
#: Every twentieth document has the value that a filter asks for.
MATCHING = 20


@pytest.fixture(autouse=True)
def _library(engine: EngineUnderTest) -> None:
    """Documents, and statistics about them: Postgres chooses by statistics, and has none or old ones otherwise."""
    engine.database.transact(fill)


def fill(tx: Transaction) -> None:
    rows = [document_row(number) for number in range(DOCUMENTS)]
    label = [
        {"document_id": row["id"], "org_id": DEFAULT_ORG_ID, "document_created_at": row["created_at"]}
        for row in rows
    ]
    tx.connection.execute(documents.insert(), rows)
    tx.connection.execute(
        document_tags.insert(),
        [{**row, "tag": "b" if number % MATCHING else "a"} for number, row in enumerate(label)],
    )
    tx.connection.execute(
        document_metadata.insert(),
        [{**row, "key": "k", "value": "w" if number % MATCHING else "v"} for number, row in enumerate(label)],
    )
    tx.connection.execute(text("analyze"))


def document_row(number: int) -> dict[str, Any]:
    matches = number % MATCHING == 0
    created_at = datetime(2026, 1, 1, tzinfo=UTC) + timedelta(hours=12 * number)
    return {
        "id": str(UUID(int=number + 1)),
        "org_id": DEFAULT_ORG_ID,
        "kind": "document",
        "name": f"{number}.txt",
        "media_type": "text/plain" if matches else "application/pdf",
        "size": number,
        "sha256": str(number),
        "blob_key": str(number),
        "status": "FAILED" if matches else "COMPLETED",
        "summary": {"language": "de" if matches else "en"},
        "collection": "a" if matches else "b",
        "created_at": created_at,
        "updated_at": created_at,
    }


def plan_of(tx: Transaction, statement: str, parameters: Any) -> str:
    """The plan of a statement; Postgres is told to avoid what it prefers for small tables."""
    if tx.dialect == "sqlite":
        rows = tx.connection.exec_driver_sql(f"explain query plan {statement}", parameters)
        return "\n".join(str(row[3]) for row in rows)
    for setting in ("enable_seqscan", "enable_sort", "enable_bitmapscan"):
        tx.connection.execute(text(f"set local {setting} = off"))
    return "\n".join(str(row[0]) for row in tx.connection.exec_driver_sql(f"explain {statement}", parameters))


def list_plan(tx: Transaction, filters: Filters, sort: Sort) -> str:
    """The plan of the first statement of a list."""
    statements: list[tuple[str, Any]] = []

    def record(_conn: Any, _cursor: Any, statement: str, parameters: Any, *_: Any) -> None:
        statements.append((statement, parameters))

    event.listen(tx.connection, "before_cursor_execute", record)
    list_documents(tx, DEFAULT_ORG_ID, filters, sort, None, 50)
    event.remove(tx.connection, "before_cursor_execute", record)
    return plan_of(tx, *statements[0])


def count_plan(tx: Transaction, query: Select[Any]) -> str:
    compiled = query.compile(tx.connection.engine, compile_kwargs={"render_postcompile": True})
    parameters = compiled.construct_params()
    if compiled.positional:
        return plan_of(
            tx, str(compiled), tuple(_bound(tx, parameters[name]) for name in compiled.positiontup or ())
        )
    return plan_of(tx, str(compiled), parameters)


def _bound(tx: Transaction, value: Any) -> Any:
    return value.isoformat() if tx.dialect == "sqlite" and isinstance(value, datetime) else value


@pytest.mark.parametrize(
    ("filters", "sort", "index"),
    [
        (NO_FILTERS, "-created", "ix_documents_newest"),
        (NO_FILTERS, "name", "ix_documents_search_name"),
        (NO_FILTERS, "-size", "ix_documents_size"),
        (replace(IN_RANGE, tags=("a",)), "-created", "ix_document_tags_filter"),
        (Filters(collections=("a",)), "-created", "ix_documents_collection"),
        (Filters(media_types=("text/plain",)), "-created", "ix_documents_"),
        (Filters(languages=("de",)), "-created", "ix_documents_"),
        (replace(IN_RANGE, metadata=(("k", "v"),)), "-created", "ix_document_metadata_filter"),
    ],
)
def test_a_list_reads_an_index(engine: EngineUnderTest, filters: Filters, sort: Sort, index: str) -> None:
    plan = engine.database.transact(lambda tx: list_plan(tx, filters, sort))

    assert index in plan, plan


@pytest.mark.parametrize(
    ("filters", "sort"), [(NO_FILTERS, "status"), (Filters(statuses=("FAILED",)), "-created")]
)
def test_a_list_by_status_reads_an_index_on_sqlite_only(
    engine: EngineUnderTest, filters: Filters, sort: Sort
) -> None:
    plan = engine.database.transact(lambda tx: list_plan(tx, filters, sort))

    assert ("ix_documents_status" in plan) == (engine.database.dialect == "sqlite"), plan


def test_documents_with_a_tag_in_a_range_are_counted_in_the_index_of_tags(engine: EngineUnderTest) -> None:
    query = matching_count(DEFAULT_ORG_ID, replace(IN_RANGE, tags=("a",)))

    plan = engine.database.transact(lambda tx: count_plan(tx, query))

    assert "ix_document_tags_filter" in plan, plan
    assert "ix_documents" not in plan
