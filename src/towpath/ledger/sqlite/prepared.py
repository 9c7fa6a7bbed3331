"""Runs statements that are compiled once on SQLite's driver."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import Any, cast

from sqlalchemy import Connection, Executable, Row
from sqlalchemy.sql.compiler import SQLCompiler

from towpath.ledger.prepared_statement import Parameters, PreparedStatements
from towpath.ledger.sqlite.driver_statement import driver, translated


def _arrange(compiled: SQLCompiler) -> tuple[str, Sequence[str]]:
    return str(compiled), cast("Sequence[str]", compiled.positiontup or ())


_statements = PreparedStatements(_arrange)


def fetch(connection: Connection, statement: Executable, parameters: Parameters) -> Sequence[Row[Any]]:
    """The rows of a query, or of a statement with `returning`."""
    prepared = _statements.get(connection.dialect, statement, parameters)
    try:
        cursor = driver(connection).execute(prepared.sql, prepared.values(parameters))
        return cast("Sequence[Row[Any]]", [prepared.row(values) for values in cursor])
    except sqlite3.Error as error:
        raise translated(connection, prepared.sql, parameters, error) from error


def write(connection: Connection, statement: Executable, rows: Sequence[Parameters]) -> int:
    """Run the statement once for each of the parameters; the number of rows that it changed."""
    if not rows:
        return 0
    prepared = _statements.get(connection.dialect, statement, rows[0])
    try:
        values = [prepared.values(row) for row in rows]
        return driver(connection).executemany(prepared.sql, values).rowcount
    except sqlite3.Error as error:
        raise translated(connection, prepared.sql, rows[0], error) from error
