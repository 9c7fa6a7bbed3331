"""SQLite: one writer at a time, write-ahead log, every commit on disk before it is acknowledged."""

from __future__ import annotations

import asyncio
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from typing import TypeVar

from sqlalchemy import create_engine, event
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import ConnectionPoolEntry

from towpath.ledger.columns import dump, to_instant, to_text
from towpath.ledger.database import RetryingDatabase, Transaction, Work

T = TypeVar("T")

_PRAGMAS = (
    "journal_mode = wal",
    "synchronous = full",
    "foreign_keys = on",
    "busy_timeout = 10000",
    "temp_store = memory",
    "cache_size = -32000",
    "mmap_size = 268435456",
)

# What a Postgres statement keeps in a CTE named `held`; see hold.sql.
_HELD = """
create temp table if not exists held (
  job_id text, org_id text, document_id text, run_id text, stage text, locked_by text,
  item text, place integer, turn integer, now_status text, tally integer, ended text
)
"""


class SqliteDatabase(RetryingDatabase):
    dialect = "sqlite"

    def __init__(self, path: Path, *, readers: int = 4) -> None:
        super().__init__(threads=readers)
        # Writers of this process queue up here and not at the file's lock, where waiting means polling.
        self._writer = ThreadPoolExecutor(1, thread_name_prefix="ledger-sqlite-writer")
        self.engine = create_engine(
            f"sqlite:///{path}",
            pool_size=readers + 4,
            connect_args={"check_same_thread": False},
            json_serializer=dump,
        )
        event.listen(self.engine, "connect", _prepare)
        event.listen(self.engine, "begin", _no_begin)

    async def run(
        self, work: Work[T], *, single: bool = False, read: bool = False, org: str | None = None
    ) -> T:
        if read:
            return await super().run(work, read=True)
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._writer, self._write, work)

    def transact(
        self, work: Work[T], *, single: bool = False, read: bool = False, org: str | None = None
    ) -> T:
        # A heartbeat, too, stands in the writers' line: at the file's lock it would starve behind it.
        return super().transact(work, read=True) if read else self._writer.submit(self._write, work).result()

    def _write(self, work: Work[T]) -> T:
        return super().transact(work)

    def close(self) -> None:
        self._writer.shutdown(wait=True)
        super().close()

    def is_conflict(self, error: DBAPIError) -> bool:
        code = getattr(error.orig, "sqlite_errorcode", 0) & 0xFF
        return code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)

    def is_down(self, error: DBAPIError) -> bool:
        code = getattr(error.orig, "sqlite_errorcode", 0) & 0xFF
        return code in (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_FULL)

    def _transact_once(self, work: Work[T], *, single: bool, read: bool, org: str | None) -> T:
        with self.engine.connect() as connection:
            connection.exec_driver_sql("begin" if read else "begin immediate")
            try:
                answer = work(Transaction(connection, self.dialect))
                connection.exec_driver_sql("commit")
            except BaseException:
                connection.exec_driver_sql("rollback")
                raise
            return answer


def _prepare(connection: sqlite3.Connection, _entry: ConnectionPoolEntry) -> None:
    # Transactions are ours to open: the driver would begin a deferred one, which can fail half-way
    # with "database is locked" when two of them want to write.
    connection.isolation_level = None
    for pragma in _PRAGMAS:
        connection.execute(f"pragma {pragma}")
    connection.execute(_HELD)
    connection.create_function("plus_seconds", 2, _plus_seconds, deterministic=True)


def _plus_seconds(moment: str, seconds: float | None) -> str | None:
    """SQLite's own date functions know milliseconds only, and a deadline would come up to one too early."""
    return None if seconds is None else to_text(to_instant(moment) + timedelta(seconds=seconds))


def _no_begin(_connection: object) -> None:
    """SQLAlchemy's own begin stays silent; `_transact_once` says which kind is wanted."""
