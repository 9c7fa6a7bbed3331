"""Runs statements that are compiled once on the driver of Postgres."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, LiteralString, cast

import psycopg
from sqlalchemy import Connection, Executable, Row
from sqlalchemy.sql.compiler import SQLCompiler

from towpath.ledger.postgres.driver_statement import driver, numbered, translated_errors
from towpath.ledger.prepared_statement import Parameters, PreparedStatements


def _arrange(compiled: SQLCompiler) -> tuple[str, Sequence[str]]:
    return numbered(str(compiled))


_statements = PreparedStatements(_arrange, float_type=psycopg.adapters.types["float8"].oid)


def fetch(connection: Connection, statement: Executable, parameters: Parameters) -> Sequence[Row[Any]]:
    """The rows of a query, or of a statement with `returning`."""
    prepared = _statements.get(connection.dialect, statement, parameters)
    with translated_errors(connection, prepared.sql, parameters):
        cursor = psycopg.RawCursor[Any](driver(connection))
        cursor.execute(cast("LiteralString", prepared.sql), prepared.values(parameters))
        return cast("Sequence[Row[Any]]", [prepared.row(values) for values in cursor.fetchall()])


def write(connection: Connection, statement: Executable, rows: Sequence[Parameters]) -> int:
    """Run the statement once for each of the parameters; the number of rows that it changed."""
    if not rows:
        return 0
    prepared = _statements.get(connection.dialect, statement, rows[0])
    query = cast("LiteralString", prepared.sql)
    with translated_errors(connection, prepared.sql, rows[0]):
        cursor = psycopg.RawCursor[Any](driver(connection))
        if len(rows) == 1:
            cursor.execute(query, prepared.values(rows[0]))
        else:
            cursor.executemany(query, [prepared.values(row) for row in rows])
        return cursor.rowcount
