"""A row of each organization in every table there is, whatever its columns are."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

from sqlalchemy import BigInteger, Boolean, Column, Float, Integer, LargeBinary, Table, Text, text
from sqlalchemy.dialects.postgresql import insert

from towpath.ledger.columns import Id, Instant, Json, Serial, Vector
from towpath.ledger.database import Database, Transaction
from towpath.ledger.tables import metadata


def fill_every_table(database: Database, *org_ids: str) -> None:
    """One row for each organization in each table of Postgres; what they point to need not be there."""

    def fill(tx: Transaction) -> None:
        tx.connection.execute(text("set local session_replication_role = replica"))
        for table in metadata.sorted_tables:
            for org_id in org_ids:
                tx.connection.execute(insert(table).values(_row(table, org_id)))

    database.transact(fill)


def _row(table: Table, org_id: str) -> dict[str, Any]:
    owner = "id" if table.name == "organizations" else "org_id"
    return {
        column.name: org_id if column.name == owner else _value(column)
        for column in table.columns
        if not column.nullable and column.type is not Serial
    }


def _value(column: Column[Any]) -> Any:
    if column.table.name == "document_processing_jobs" and column.name == "status":
        return "PENDING"
    if column.type is Id:
        return str(uuid4())
    if column.type is Instant:
        return datetime.now(UTC)
    if column.type is Json:
        return {}
    if column.type is Vector:
        return [0.0]
    kinds: dict[type, Any] = {
        Text: uuid4().hex,
        Boolean: False,
        Float: 0.0,
        BigInteger: uuid4().int >> 70,
        Integer: 1,
        LargeBinary: b"",
    }
    return kinds[type(column.type)]
