"""SQLAlchemy statements that are compiled once and run directly on the driver's connection, which is faster.

Values are converted as SQLAlchemy does it. Only for statements that are built once: they are kept for ever.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from sqlalchemy import Dialect, Executable, Insert, Select
from sqlalchemy.sql.compiler import SQLCompiler

from towpath.ledger.row_type import row_type

Parameters = Mapping[str, object]
_Convert = Callable[[Any], Any]
#: The names of the parameters in the order of their places, and the statement for the driver.
Arrange = Callable[[SQLCompiler], tuple[str, Sequence[str]]]


@dataclass(frozen=True, slots=True)
class _Bind:
    """A parameter of the statement, in the order of its places."""

    name: str
    #: The value of a parameter that the statement has itself; used if none is given.
    value: object
    convert: _Convert | None


@dataclass(frozen=True, slots=True)
class PreparedStatement:
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


class PreparedStatements:
    """The compiled statements of one dialect."""

    def __init__(self, arrange: Arrange, float_type: int | None = None) -> None:
        """``float_type`` is the driver's code of the type that float columns have, if SQLAlchemy needs it."""
        self._arrange = arrange
        self._float_type = float_type
        self._prepared: dict[tuple[Executable, tuple[str, ...]], PreparedStatement] = {}

    def get(self, dialect: Dialect, statement: Executable, parameters: Parameters) -> PreparedStatement:
        key = (statement, tuple(parameters))
        prepared = self._prepared.get(key)
        if prepared is None:
            prepared = self._prepared[key] = self._compile(dialect, statement, key[1])
        return prepared

    def _compile(self, dialect: Dialect, statement: Executable, names: Sequence[str]) -> PreparedStatement:
        # The columns of an insert are those of its parameters; other statements name theirs.
        columns = list(names) if isinstance(statement, Insert) else None
        compiled = cast("SQLCompiler", cast("Any", statement).compile(dialect=dialect, column_keys=columns))
        sql, places = self._arrange(compiled)
        binds = [
            _Bind(name, bind.value, bind.type.dialect_impl(dialect).bind_processor(dialect))
            for name in places
            for bind in (compiled.binds[name],)
        ]
        returned: list[Any] = (
            list(cast("Select[Any]", statement).selected_columns)
            if isinstance(statement, Select)
            else list(cast("Any", statement).exported_columns)
        )
        converts = [
            column.type.dialect_impl(dialect).result_processor(dialect, self._float_type)
            for column in returned
        ]
        return PreparedStatement(
            sql,
            binds,
            converts if any(convert is not None for convert in converts) else None,
            row_type(tuple(str(column.key) for column in returned)),
        )
