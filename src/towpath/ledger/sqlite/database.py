"""The SQLite database: one writer at a time, write-ahead log, every commit is synced to disk."""

from __future__ import annotations

import asyncio
import logging
import shutil
import sqlite3
import time
from datetime import timedelta
from pathlib import Path
from typing import TypeVar

from sqlalchemy import create_engine, event
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import ConnectionPoolEntry

from towpath.errors import DatabaseDamaged, DatabaseFull, DatabaseReadOnly, DatabaseUnavailable
from towpath.ledger.columns import dump, to_instant, to_text
from towpath.ledger.database import RetryingDatabase, Transaction, Work
from towpath.ledger.sqlite.driver_statement import control, in_transaction
from towpath.ledger.sqlite.group_commit import GroupCommit
from towpath.ledger.sqlite.kept_connections import KeptConnections

T = TypeVar("T")

log = logging.getLogger(__name__)

#: Seconds between two log lines about a database that stays locked.
LOG_INTERVAL = 10.0
#: With less free disk space than this, an I/O error of SQLite means that the disk is full.
_MIN_FREE_BYTES = 64 * 1024

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
        self._path = path
        self._log_lock_at = 0.0
        self.engine = create_engine(
            f"sqlite:///{path}",
            pool_size=readers + 4,
            connect_args={"check_same_thread": False},
            json_serializer=dump,
        )
        event.listen(self.engine, "connect", _prepare)
        event.listen(self.engine, "begin", _no_begin)
        self._writer_connection = KeptConnections(self.engine)
        self._reader_connections = KeptConnections(self.engine)
        # Writers of this process wait in this queue: SQLite waits for the file lock by polling.
        self._writer = GroupCommit(self._writer_connection, super().transact)

    async def run(
        self, work: Work[T], *, single: bool = False, read: bool = False, org: str | None = None
    ) -> T:
        if read:
            return await super().run(work, read=True)
        return await asyncio.wrap_future(self._writer.submit(work))

    def transact(
        self, work: Work[T], *, single: bool = False, read: bool = False, org: str | None = None
    ) -> T:
        # A heartbeat uses the writer's queue too: polling for the file lock, it could starve behind the queue.
        return super().transact(work, read=True) if read else self._writer.submit(work).result()

    def close(self) -> None:
        self._writer.close()
        self._writer_connection.close()
        self._threads.shutdown(wait=True)
        self._reader_connections.close()
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

    def translate(self, error: DBAPIError) -> DatabaseUnavailable | None:
        code = getattr(error.orig, "sqlite_errorcode", 0) & 0xFF
        if code == sqlite3.SQLITE_FULL:
            return DatabaseFull(
                "There is no disk space for the database. Delete documents or make the disk larger."
            )
        if code == sqlite3.SQLITE_READONLY:
            return DatabaseReadOnly("The database file cannot be written. Check its permissions.")
        if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
            return DatabaseDamaged(
                "The database file is damaged. Stop the server and restore a backup with `towpath restore`."
            )
        if code in (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_IOERR):
            message = f"The database does not answer: {error.orig}"
            # Without space SQLite cannot extend its shared memory file, which it reports as an I/O error.
            is_full = self._path.exists() and shutil.disk_usage(self._path.parent).free < _MIN_FREE_BYTES
            return DatabaseFull(message) if is_full else DatabaseUnavailable(message)
        return None

    def _transact_once(self, work: Work[T], *, single: bool, read: bool, org: str | None) -> T:
        connections = self._reader_connections if read else self._writer_connection
        with connections.open() as connection:
            control(connection, "begin" if read else "begin immediate")
            try:
                answer = work(Transaction(connection, self.dialect))
                control(connection, "commit")
            except BaseException:
                # SQLite may have ended the transaction itself, for example because the disk is full.
                if in_transaction(connection):
                    control(connection, "rollback")
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
    connection.create_function("seconds_between", 2, _seconds_between, deterministic=True)


def _plus_seconds(moment: str, seconds: float | None) -> str | None:
    """Add seconds with microsecond precision; SQLite's date functions have milliseconds, up to 1 ms too early."""
    return None if seconds is None else to_text(to_instant(moment) + timedelta(seconds=seconds))


def _seconds_between(start: str, end: str) -> float:
    """The seconds from one moment to another, with microsecond precision."""
    return (to_instant(end) - to_instant(start)).total_seconds()


def _no_begin(_connection: object) -> None:
    """Disable SQLAlchemy's BEGIN; `_transact_once` sends `begin` or `begin immediate`."""
