"""Runs SQLAlchemy statements that were compiled once directly on the driver's connection, which is faster.

Values are converted as SQLAlchemy does it. Only for statements that are built once: they are kept for ever.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from sqlalchemy import Connection, Dialect, Executable, Insert, Row, Select
from sqlalchemy.sql.compiler import SQLCompiler

from towpath.ledger.sqlite.driver_statement import driver, row_type, translated

Parameters = Mapping[str, object]
_Convert = Callable[[Any], Any]


@dataclass(frozen=True, slots=True)
class _Bind:
    """A parameter of the statement, in the order of its places."""

    name: str
    #: The value of a parameter that the statement has itself; used if none is given.
    value: object
    convert: _Convert | None


@dataclass(frozen=True, slots=True)
class _Prepared:
    sql: str
    binds: Sequence[_Bind]
    #: By column of the result; None if no column is converted.
    converts: Sequence[_Convert | None] | None
    make_row: Callable[[Iterable[Any]], Any]

    def values(self, parameters: Parameters) -> list[Any]:
        values: list[Any] = []
        for bind in self.binds:
            value: Any = parameters.get(bind.name, bind.value)
            values.append(value if bind.convert is None else bind.convert(value))
        return values

    def row(self, values: Sequence[Any]) -> Any:
        if self.converts is None:
            return self.make_row(values)
        return self.make_row(
            value if convert is None else convert(value)
            for value, convert in zip(values, self.converts, strict=True)
        )


_prepared: dict[tuple[Executable, tuple[str, ...]], _Prepared] = {}


def fetch(connection: Connection, statement: Executable, parameters: Parameters) -> Sequence[Row[Any]]:
    """The rows of a query, or of a statement with `returning`."""
    prepared = _prepare(connection.dialect, statement, parameters)
    try:
        cursor = driver(connection).execute(prepared.sql, prepared.values(parameters))
        return cast("Sequence[Row[Any]]", [prepared.row(values) for values in cursor])
    except sqlite3.Error as error:
        raise translated(connection, prepared.sql, parameters, error) from error


def write(connection: Connection, statement: Executable, rows: Sequence[Parameters]) -> int:
    """Run the statement once for each of the parameters; the number of rows that it changed."""
    if not rows:
        return 0
    prepared = _prepare(connection.dialect, statement, rows[0])
    try:
        values = [prepared.values(row) for row in rows]
        return driver(connection).executemany(prepared.sql, values).rowcount
    except sqlite3.Error as error:
        raise translated(connection, prepared.sql, rows[0], error) from error


def _prepare(dialect: Dialect, statement: Executable, parameters: Parameters) -> _Prepared:
    key = (statement, tuple(parameters))
    prepared = _prepared.get(key)
    if prepared is None:
        prepared = _prepared[key] = _compile(dialect, statement, key[1])
    return prepared


def _compile(dialect: Dialect, statement: Executable, names: Sequence[str]) -> _Prepared:
    # The columns of an insert are those of its parameters; other statements name theirs.
    columns = list(names) if isinstance(statement, Insert) else None
    compiled = cast("SQLCompiler", cast("Any", statement).compile(dialect=dialect, column_keys=columns))
    binds = [
        _Bind(name, bind.value, bind.type.dialect_impl(dialect).bind_processor(dialect))
        for name in cast("Sequence[str]", compiled.positiontup or ())
        for bind in (compiled.binds[name],)
    ]
    returned: list[Any] = (
        list(cast("Select[Any]", statement).selected_columns)
        if isinstance(statement, Select)
        else list(cast("Any", statement).exported_columns)
    )
    converts = [column.type.dialect_impl(dialect).result_processor(dialect, None) for column in returned]
    return _Prepared(
        str(compiled),
        binds,
        converts if any(convert is not None for convert in converts) else None,
        row_type(tuple(str(column.key) for column in returned)),
    )
