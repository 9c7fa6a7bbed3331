"""Moves an organization from one Postgres instance to another: its rows by COPY, its blobs by their common prefix.

Ids are UUIDs, so rows keep them. Serial numbers would collide: each cell has its own range of them.
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import LiteralString

import psycopg
from psycopg import sql
from sqlalchemy import Table

from towpath.ledger.columns import Serial
from towpath.ledger.tables import metadata

#: The serial numbers of one cell.
RANGE = 1 << 40


@dataclass(frozen=True, slots=True)
class Cell:
    """A Postgres instance, the folder of its blobs, and the address of its server."""

    dsn: str
    data: Path
    url: str


@dataclass(frozen=True, slots=True)
class Moved:
    rows: int
    megabytes: float


def reserve_range(dsn: str, cell_number: int) -> None:
    """Let all serial numbers of this cell begin with its range."""
    with psycopg.connect(dsn) as connection:
        for table in metadata.sorted_tables:
            if "id" in table.c and table.c.id.type is Serial:
                connection.execute(
                    "select setval(pg_get_serial_sequence(%s, 'id'), %s)",
                    (table.name, cell_number * RANGE + 1),
                )


def unfinished_jobs(dsn: str, org_id: str) -> int:
    query = "select count(*) from document_processing_jobs where org_id = %s and status in ('PENDING', 'PROCESSING')"
    with psycopg.connect(dsn) as connection:
        row = connection.execute(query, (org_id,)).fetchone()
        return int(row[0]) if row else 0


def copy_organization(source: Cell, target: Cell, org_id: str) -> Moved:
    """Copy all rows in one transaction, and all blobs before it: a row never names a blob that is not there."""
    folder = Path("blobs") / "orgs" / org_id
    shutil.copytree(source.data / folder, target.data / folder, dirs_exist_ok=True)
    size = sum(file.stat().st_size for file in (target.data / folder).rglob("*") if file.is_file())
    rows = 0
    with psycopg.connect(source.dsn) as old, psycopg.connect(target.dsn) as new:
        old.execute("set transaction isolation level repeatable read, read only")
        for table in metadata.sorted_tables:
            condition = _condition(table)
            if condition is not None:
                rows += _copy_table(old, new, table, sql.SQL(condition).format(sql.Literal(org_id)))
        new.commit()
    return Moved(rows, size / (1 << 20))


def delete_organization(cell: Cell, org_id: str) -> None:
    """Remove the rows and blobs from the old cell, children first."""
    with psycopg.connect(cell.dsn) as connection:
        for table in reversed(metadata.sorted_tables):
            condition = _condition(table)
            if condition is not None:
                statement = sql.SQL("delete from {} where " + condition)
                connection.execute(statement.format(sql.Identifier(table.name), sql.Literal(org_id)))
    shutil.rmtree(cell.data / "blobs" / "orgs" / org_id, ignore_errors=True)


def _condition(table: Table) -> LiteralString | None:
    """The rows of one organization; None for tables about the processes of a cell."""
    if table.name == "organizations":
        return "id = {}"
    return "org_id = {}" if "org_id" in table.c else None


def _copy_table(
    old: psycopg.Connection, new: psycopg.Connection, table: Table, condition: sql.Composed
) -> int:
    # Named, because a migration may have added columns in another order.
    columns = sql.SQL(", ").join(sql.Identifier(column.name) for column in table.columns)
    name = sql.Identifier(table.name)
    read = sql.SQL("copy (select {} from {} where {}) to stdout (format binary)").format(
        columns, name, condition
    )
    write = sql.SQL("copy {} ({}) from stdin (format binary)").format(name, columns)
    with old.cursor() as source, new.cursor() as target:
        with source.copy(read) as reader, target.copy(write) as writer:
            for block in reader:
                writer.write(block)
        return target.rowcount
