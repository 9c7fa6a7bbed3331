"""A database session that holds a lock for one worker: when the worker dies, Postgres frees the lock at once.

Other workers see the free lock and rescue its jobs without waiting for the leases. A session that was lost while the
worker is alive is opened again at once; a wrong guess costs nothing, because every write is fenced by its epoch.
Behind a pooler a session does not belong to one client, so there is no lock, and the lease decides.
"""

from __future__ import annotations

import asyncio
import logging
import select
import threading

import psycopg

from towpath.postgres_pooler import is_pooled

log = logging.getLogger(__name__)

#: The first key of the locks of all workers; the second one is the hash of the worker's name. See busy_workers.sql.
LOCK_CLASS = 1_953_458_032
RECONNECT_SECONDS = 0.1
#: Time between two looks whether the worker is being closed, while the session is quiet.
_LOOK_SECONDS = 0.5


class PostgresWorkerSession:
    """Holds the lock of one worker in a thread of its own."""

    def __init__(self, dsn: str) -> None:
        """``dsn`` is the address of the database itself, not that of a pooler."""
        self._dsn = dsn
        self._closing = threading.Event()
        self._thread: threading.Thread | None = None

    async def open(self, worker: str) -> bool:
        try:
            connection = await asyncio.to_thread(self._connect, worker)
        except psycopg.Error as error:
            log.info("The worker has no session lock; its jobs are rescued by their leases: %s", error)
            return False
        if connection is None:
            return False
        self._thread = threading.Thread(
            target=self._hold, args=(worker, connection), name="worker-session", daemon=True
        )
        self._thread.start()
        return True

    async def close(self) -> None:
        self._closing.set()
        if self._thread is not None:
            await asyncio.to_thread(self._thread.join)

    def _connect(self, worker: str) -> psycopg.Connection | None:
        """A session that holds the lock; None if it cannot be had here."""
        connection = psycopg.connect(self._dsn, autocommit=True, prepare_threshold=None, connect_timeout=5)
        if not is_pooled(connection):
            row = connection.execute(
                "select pg_try_advisory_lock(%s, hashtext(%s))", (LOCK_CLASS, worker)
            ).fetchone()
            if row is not None and row[0]:
                return connection
        connection.close()
        return None

    def _hold(self, worker: str, connection: psycopg.Connection | None) -> None:
        while not self._closing.is_set():
            if connection is not None and _is_open(connection):
                continue
            if connection is not None:
                connection.close()
            try:
                connection = self._connect(worker)
            except psycopg.Error as error:
                log.debug("the session of the worker was not opened: %s", error)
                connection = None
            if connection is None:
                self._closing.wait(RECONNECT_SECONDS)
        if connection is not None:
            connection.close()


def _is_open(connection: psycopg.Connection) -> bool:
    """Whether the session is still there, after at most ``_LOOK_SECONDS``. A quiet session sends nothing."""
    try:
        readable, _, _ = select.select([connection.fileno()], [], [], _LOOK_SECONDS)
        if readable:
            connection.execute("select 1")
    except (psycopg.Error, OSError, ValueError):
        return False
    return True
