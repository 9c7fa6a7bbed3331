"""Runs an SQL statement directly on the driver's connection: SQLAlchemy takes longer than Postgres for a small one.

The driver's own conversion of named parameters is not cached for statements as long as the claim, so it is done here.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from typing import Any, LiteralString, cast

import psycopg
from sqlalchemy import Connection, Row
from sqlalchemy.exc import DBAPIError

from towpath.ledger.row_type import row_type

#: By statement: reading the description of a result takes longer than reading a row.
_row_types: dict[str, Any] = {}

_PARAMETER = re.compile(r"%(?:\((\w+)\)s|%)")


def postgres_statement(
    connection: Connection, statement: str, parameters: Mapping[str, object]
) -> Sequence[Row[Any]]:
    """The rows, with access by position and by name. Errors are those that SQLAlchemy raises."""
    with translated_errors(connection, statement, parameters):
        return _rows(statement, _execute(driver(connection), statement, parameters))


def postgres_statements(
    connection: Connection, statement: str, parameter_sets: Iterable[Mapping[str, object]]
) -> Sequence[Row[Any]]:
    """The rows of the statement with each of the parameters. The next ones are made while the server works."""
    with translated_errors(connection, statement, {}):
        connected = driver(connection)
        with connected.pipeline():
            cursors = [_execute(connected, statement, parameters) for parameters in parameter_sets]
        return [row for cursor in cursors for row in _rows(statement, cursor)]


def driver(connection: Connection) -> psycopg.Connection[Any]:
    return cast("psycopg.Connection[Any]", connection.connection.driver_connection)


def _execute(
    connected: psycopg.Connection[Any], statement: str, parameters: Mapping[str, object]
) -> psycopg.Cursor[Any]:
    query, names = numbered(statement)
    return psycopg.RawCursor[Any](connected).execute(query, [parameters[name] for name in names])


def _rows(statement: str, cursor: psycopg.Cursor[Any]) -> Sequence[Row[Any]]:
    make = _row_types.get(statement)
    if make is None:
        if cursor.description is None:
            return ()
        make = _row_types[statement] = row_type(tuple(column.name for column in cursor.description))
    return cast("Sequence[Row[Any]]", [make(row) for row in cursor.fetchall()])


@cache
def numbered(statement: str) -> tuple[LiteralString, Sequence[str]]:
    """The statement with `$1` for its first parameter, and the names of the parameters in this order."""
    names: dict[str, int] = {}

    def replaced(match: re.Match[str]) -> str:
        return "%" if match[1] is None else f"${names.setdefault(match[1], len(names) + 1)}"

    query = _PARAMETER.sub(replaced, statement)
    return cast("LiteralString", query), tuple(names)


@contextmanager
def translated_errors(
    connection: Connection, statement: str, parameters: Mapping[str, object]
) -> Generator[None]:
    try:
        yield
    except psycopg.Error as error:
        lost = driver(connection).closed
        if lost:
            connection.invalidate(error)
        raise DBAPIError.instance(
            statement,
            cast("dict[str, Any]", parameters),
            error,
            psycopg.Error,
            connection_invalidated=lost,
            dialect=connection.dialect,
        ) from error
