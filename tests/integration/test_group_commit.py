"""Writes that wait for SQLite at the same time are committed together, and each fails alone."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import event, text

from tests.support.timeouts import PROCESS_SECONDS, async_wait_until
from towpath.errors import DatabaseBusy
from towpath.ledger.database import Transaction, Work
from towpath.ledger.sqlite.database import SqliteDatabase


class CommitCounter:
    """Counts the transactions that a database commits."""

    def __init__(self, database: SqliteDatabase) -> None:
        self.commits = 0
        event.listen(database.engine, "before_cursor_execute", self._count)

    def _count(self, _connection: object, _cursor: object, statement: str, *_: object) -> None:
        self.commits += statement == "commit"


@pytest.fixture
def database(tmp_path: Path) -> Iterator[SqliteDatabase]:
    opened = SqliteDatabase(tmp_path / "numbers.db")
    opened.transact(lambda tx: tx.connection.execute(text("create table numbers (n integer primary key)")))
    yield opened
    opened.close()


def insert(number: int) -> Work[int]:
    def work(tx: Transaction) -> int:
        tx.connection.execute(text("insert into numbers values (:n)"), {"n": number})
        return number

    return work


def stored(database: SqliteDatabase) -> list[int]:
    query = text("select n from numbers order by n")
    return list(database.transact(lambda tx: tx.connection.scalars(query).all(), read=True))


class BlockingWork:
    """A work that keeps the writer busy until it is released."""

    def __init__(self) -> None:
        self.begun, self.released = threading.Event(), threading.Event()

    def __call__(self, _tx: Transaction) -> None:
        self.begun.set()
        assert self.released.wait(PROCESS_SECONDS)


async def _while_the_writer_is_busy(database: SqliteDatabase, works: list[Work[int]]) -> list[object]:
    """The answers of works that wait together for the writer."""
    blocking = BlockingWork()
    busy = asyncio.create_task(database.run(blocking))
    assert await asyncio.to_thread(blocking.begun.wait, PROCESS_SECONDS)
    waiting = [asyncio.ensure_future(database.run(work)) for work in works]
    await asyncio.sleep(0)
    blocking.released.set()
    await busy
    return list(await asyncio.gather(*waiting, return_exceptions=True))


async def test_waiting_writes_share_commits(database: SqliteDatabase) -> None:
    counter = CommitCounter(database)

    answers = await _while_the_writer_is_busy(database, [insert(number) for number in range(50)])

    assert answers == list(range(50))
    assert stored(database) == list(range(50))
    assert counter.commits < 25


async def test_a_write_that_fails_is_rolled_back_alone(database: SqliteDatabase) -> None:
    def refuse(tx: Transaction) -> int:
        insert(99)(tx)
        raise LookupError("no such job")

    answers = await _while_the_writer_is_busy(database, [insert(1), refuse, insert(2)])

    assert [answers[0], answers[2]] == [1, 2]
    assert isinstance(answers[1], LookupError)
    assert stored(database) == [1, 2]


async def test_a_write_that_the_database_refuses_does_not_disturb_the_others(
    database: SqliteDatabase,
) -> None:
    answers = await _while_the_writer_is_busy(database, [insert(1), insert(1), insert(2)])

    assert [answers[0], answers[2]] == [1, 2]
    assert "UNIQUE constraint failed" in str(answers[1])
    assert stored(database) == [1, 2]


async def test_writes_wait_together_for_another_process(database: SqliteDatabase, tmp_path: Path) -> None:
    other = sqlite3.connect(tmp_path / "numbers.db", isolation_level=None)
    other.execute("begin immediate")
    writes = [asyncio.ensure_future(database.run(insert(number))) for number in range(8)]

    async def waits() -> bool:
        return database.lock_waits > 0

    await async_wait_until(waits, "a writer to find the database locked")
    other.execute("rollback")

    assert await asyncio.gather(*writes) == list(range(8))
    assert stored(database) == list(range(8))
    other.close()


async def test_a_database_that_stays_locked_is_reported_for_each_write(
    database: SqliteDatabase, tmp_path: Path
) -> None:
    database.patience_seconds = 0.1
    other = sqlite3.connect(tmp_path / "numbers.db", isolation_level=None)
    other.execute("begin immediate")

    answers = await asyncio.gather(*(database.run(insert(n)) for n in range(3)), return_exceptions=True)

    assert [type(answer) for answer in answers] == [DatabaseBusy] * 3
    other.execute("rollback")
    assert stored(database) == []
    other.close()


async def test_a_cancelled_write_that_still_waits_is_not_run(database: SqliteDatabase) -> None:
    blocking = BlockingWork()
    busy = asyncio.create_task(database.run(blocking))
    assert await asyncio.to_thread(blocking.begun.wait, PROCESS_SECONDS)
    cancelled = asyncio.ensure_future(database.run(insert(1)))
    kept = asyncio.ensure_future(database.run(insert(2)))
    await asyncio.sleep(0)
    cancelled.cancel()
    await asyncio.wait({cancelled})
    blocking.released.set()

    await busy
    await kept

    assert stored(database) == [2]
