"""The SQLite database: one writer at a time, write-ahead log, every commit is synced to disk."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
import time
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

log = logging.getLogger(__name__)

#: Seconds between two log lines about a database that stays locked.
LOG_INTERVAL = 10.0

_PRAGMAS = (
    "journal_mode = wal",
    "synchronous = full",
    "foreign_keys = on",
    # One second, the tick of the scheduler: each missed tick is counted and the first one is logged.
    "busy_timeout = 1000",
    "temp_store = memory",
    "cache_size = -32000",
    "mmap_size = 268435456",
)

# The rows that one verb works on. SQLite has no writing CTEs, so its statements pass them on in a temporary table.
_BATCH = """
create temp table if not exists batch (
  job_id text, org_id text, document_id text, run_id text, stage text, locked_by text, item text,
  rank_in_org integer, turn integer, new_status text, new_attempts integer, new_crashes integer, ended text
)
"""


class SqliteDatabase(RetryingDatabase):
    dialect = "sqlite"

    def __init__(self, path: Path, *, readers: int = 4) -> None:
        super().__init__(threads=readers)
        self._log_lock_at = 0.0
        # Writers of this process wait in this thread's queue: SQLite waits for the file lock by polling.
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
        # A heartbeat uses the writer's queue too: polling for the file lock, it could starve behind the queue.
        return super().transact(work, read=True) if read else self._writer.submit(self._write, work).result()

    def _write(self, work: Work[T]) -> T:
        return super().transact(work)

    def close(self) -> None:
        self._writer.shutdown(wait=True)
        super().close()

    def on_conflict(self) -> None:
        # The writers of this process wait in a queue, so only another process can hold the lock.
        self.lock_waits += 1
        if time.monotonic() >= self._log_lock_at:
            self._log_lock_at = time.monotonic() + LOG_INTERVAL
            log.warning("another process has locked the SQLite database; waiting for it")

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
    # `_transact_once` begins transactions. The driver would begin a deferred one, which can fail with "database is
    # locked" at its first write.
    connection.isolation_level = None
    for pragma in _PRAGMAS:
        connection.execute(f"pragma {pragma}")
    connection.execute(_BATCH)
    connection.create_function("plus_seconds", 2, _plus_seconds, deterministic=True)


def _plus_seconds(moment: str, seconds: float | None) -> str | None:
    """Add seconds with microsecond precision; SQLite's date functions have milliseconds, up to 1 ms too early."""
    return None if seconds is None else to_text(to_instant(moment) + timedelta(seconds=seconds))


def _no_begin(_connection: object) -> None:
    """Disable SQLAlchemy's BEGIN; `_transact_once` sends `begin` or `begin immediate`."""
