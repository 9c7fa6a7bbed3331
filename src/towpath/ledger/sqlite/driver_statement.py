"""Runs an SQL statement directly on the driver's connection, which is faster than through SQLAlchemy."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from typing import Any, cast

from sqlalchemy import Connection, Row
from sqlalchemy.exc import DBAPIError

from towpath.ledger.row_type import row_type


def control(connection: Connection, command: str) -> None:
    """Begin or end a transaction or a savepoint."""
    try:
        driver(connection).execute(command)
    except sqlite3.Error as error:
        raise translated(connection, command, {}, error) from error


def in_transaction(connection: Connection) -> bool:
    return driver(connection).in_transaction


def driver(connection: Connection) -> sqlite3.Connection:
    return cast("sqlite3.Connection", connection.connection.driver_connection)


def sqlite_statement(
    connection: Connection, statement: str, parameters: Mapping[str, object]
) -> Sequence[Row[Any]]:
    """The rows, with access by position and by name. Errors are those that SQLAlchemy raises."""
    try:
        cursor = driver(connection).execute(statement, cast("dict[str, Any]", parameters))
        if cursor.description is None:
            return ()
        make = row_type(tuple(column[0] for column in cursor.description))
        return cast("Sequence[Row[Any]]", [make(row) for row in cursor])
    except sqlite3.Error as error:
        raise translated(connection, statement, parameters, error) from error


def translated(
    connection: Connection, statement: str, parameters: Mapping[str, object], error: sqlite3.Error
) -> BaseException:
    """The error that SQLAlchemy raises for an error of the driver."""
    return DBAPIError.instance(
        statement, cast("dict[str, Any]", parameters), error, sqlite3.Error, dialect=connection.dialect
    )
