"""Statements that bypass SQLAlchemy on SQLite convert values and raise errors as SQLAlchemy does."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

import numpy as np
import pytest
from sqlalchemy import (
    Column,
    Connection,
    Integer,
    MetaData,
    Table,
    Text,
    bindparam,
    create_engine,
    insert,
    select,
    update,
)
from sqlalchemy.exc import IntegrityError

from towpath.ledger.columns import Instant, Json, Vector, dump
from towpath.ledger.database import Transaction

_things = Table(
    "things",
    MetaData(),
    Column("id", Integer, primary_key=True),
    Column("name", Text, nullable=False),
    Column("at", Instant),
    Column("detail", Json),
    Column("vector", Vector),
)
_INSERT = insert(_things)
_NAMED = select(_things).where(_things.c.name == bindparam("wanted"))
_RENAME = update(_things).where(_things.c.name == bindparam("old")).values(name=bindparam("new"), detail=None)
_ROW: dict[str, object] = {
    "name": "café",
    "at": datetime(2026, 11, 17, 22, 30, tzinfo=UTC),
    "detail": {"pages": 2, "zero": "a\x00b"},
    "vector": np.array([0.5, -1.0], np.float32),
}


@pytest.fixture
def connection() -> Iterator[Connection]:
    engine = create_engine("sqlite://", json_serializer=dump)
    with engine.connect() as opened:
        _things.metadata.create_all(opened)
        yield opened
    engine.dispose()


def test_values_are_stored_and_read_as_sqlalchemy_does(connection: Connection) -> None:
    tx = Transaction(connection, "sqlite")
    assert tx.write(_INSERT, [_ROW]) == 1
    connection.execute(_INSERT, _ROW)
    [prepared, other] = tx.fetch(_NAMED, wanted="café")
    [first, second] = connection.execute(_NAMED, {"wanted": "café"}).all()
    for row in (prepared, other, first, second):
        assert (row.at, row.detail) == (_ROW["at"], {"pages": 2, "zero": "a\ufffdb"})
        assert row.vector.tolist() == [0.5, -1.0]
    raw = connection.exec_driver_sql("select name, at, detail, vector from things").all()
    assert raw[0] == raw[1]


def test_rows_may_lack_columns_and_the_number_of_changed_rows_is_returned(connection: Connection) -> None:
    tx = Transaction(connection, "sqlite")
    assert tx.write(_INSERT, [{"name": "a"}, {"name": "a"}, {"name": "b"}]) == 3
    assert tx.write(_RENAME, [{"old": "a", "new": "c"}]) == 2
    assert tx.write(_RENAME, [{"old": "x", "new": "c"}]) == 0
    assert tx.write(_INSERT, []) == 0
    assert [row.name for row in tx.fetch(select(_things).order_by(_things.c.id))] == ["c", "c", "b"]


def test_an_inserted_id_is_returned(connection: Connection) -> None:
    tx = Transaction(connection, "sqlite")
    returning = insert(_things).returning(_things.c.id)
    assert [row.id for name in ("a", "b") for row in tx.fetch(returning, name=name)] == [1, 2]


def test_an_error_of_the_driver_is_one_of_sqlalchemy(connection: Connection) -> None:
    tx = Transaction(connection, "sqlite")
    with pytest.raises(IntegrityError):
        tx.write(_INSERT, [{"name": None}])
