"""Statements that bypass SQLAlchemy convert values and raise errors as SQLAlchemy does, on both engines."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime

import numpy as np
import pytest
from sqlalchemy import Column, Float, MetaData, Table, Text, bindparam, delete, insert, select, update
from sqlalchemy.exc import IntegrityError

from tests.support.databases import EngineUnderTest
from towpath.ledger.columns import Id, Instant, Json, Serial, Vector
from towpath.ledger.database import Transaction
from towpath.model.ids import new_id

_things = Table(
    "prepared_things",
    MetaData(),
    Column("id", Serial, primary_key=True, autoincrement=True),
    Column("owner", Id),
    Column("name", Text, nullable=False),
    Column("at", Instant),
    Column("detail", Json),
    Column("share", Float),
    Column("vector", Vector),
)
_INSERT = insert(_things)
_INSERT_ONE = insert(_things).returning(_things.c.id)
_NAMED = select(_things).where(_things.c.name == bindparam("wanted")).order_by(_things.c.id).limit(2)
_RENAME = update(_things).where(_things.c.name == bindparam("old")).values(name=bindparam("new"), detail=None)
_DELETE = delete(_things).where(_things.c.name == bindparam("old"))

InTransaction = Callable[[Callable[[Transaction], None]], None]


@pytest.fixture
def within(engine: EngineUnderTest) -> Iterator[InTransaction]:
    """Runs a function in a transaction in which the table exists."""
    engine.database.transact(lambda tx: _things.metadata.create_all(tx.connection))
    yield engine.database.transact
    engine.database.transact(lambda tx: _things.metadata.drop_all(tx.connection))


def test_values_are_stored_and_read_as_sqlalchemy_does(within: InTransaction) -> None:
    row = {
        "owner": new_id(),
        "name": "100 % café",
        "at": datetime(2026, 11, 17, 22, 30, 0, 5, tzinfo=UTC),
        "detail": {"pages": 2, "zero": "a\x00b"},
        "share": 0.25,
        "vector": np.array([0.5, -1.0], np.float32),
    }

    def work(tx: Transaction) -> None:
        assert tx.write(_INSERT, [row]) == 1
        tx.connection.execute(_INSERT, row)
        rows = [
            *tx.fetch(_NAMED, wanted=row["name"]),
            *tx.connection.execute(_NAMED, {"wanted": row["name"]}),
        ]
        assert len(rows) == 4
        for found in rows:
            assert (found.owner, found.at, found.share) == (row["owner"], row["at"], 0.25)
            assert found.detail == {"pages": 2, "zero": "a\ufffdb"}
            assert list(found.vector) == [0.5, -1.0]

    within(work)


def test_the_number_of_changed_rows_and_inserted_ids_are_returned(within: InTransaction) -> None:
    def work(tx: Transaction) -> None:
        assert tx.write(_INSERT, [{"name": "a"}, {"name": "a"}, {"name": "b"}]) == 3
        assert tx.write(_RENAME, [{"old": "a", "new": "c"}]) == 2
        assert tx.write(_RENAME, [{"old": "x", "new": "c"}, {"old": "b", "new": "d"}]) == 1
        assert tx.write(_INSERT, []) == 0
        [found] = tx.fetch(_INSERT_ONE, name="e")
        assert [row.id for row in tx.fetch(_NAMED, wanted="e")] == [found.id]
        assert tx.write(_DELETE, [{"old": "c"}]) == 2
        assert tx.fetch(_NAMED, wanted="c") == []

    within(work)


def test_an_error_of_the_driver_is_one_of_sqlalchemy(within: InTransaction) -> None:
    def work(tx: Transaction) -> None:
        tx.write(_INSERT, [{"name": None}])

    with pytest.raises(IntegrityError):
        within(work)
