"""The notifier between processes on Postgres: coalesced NOTIFY, and a LISTEN connection that tests itself.

NOTIFY serialises commits, so a busy server sends it outside the transactions that do work. A LISTEN connection
can stop working without an error (a failover, a pooler in transaction mode), so the listener sends itself a
notification every minute and reconnects if it does not arrive. Without LISTEN workers poll.
"""

from __future__ import annotations

import asyncio
import logging
import os
import threading
import time

import psycopg

from towpath.notify.in_process import InProcessNotifier
from towpath.postgres_pooler import is_pooled

log = logging.getLogger(__name__)

CHANNEL = "towpath"
_WAKE = ""


class PostgresNotifier(InProcessNotifier):
    #: Notifications closer together than this are sent as one.
    coalesce_seconds = 0.004
    #: At most one notification in this time is sent inside a submitting transaction.
    in_transaction_seconds = 0.01
    self_test_seconds = 60.0
    #: A starved server answers late; to take it for dead would make all its workers poll.
    self_test_patience = 10.0
    longest_pause = 60.0

    def __init__(self, dsn: str, *, listen: bool = True, direct: str | None = None) -> None:
        """``direct`` is the database's own address if ``dsn`` is a pooler's: LISTEN does not work through a pooler."""
        super().__init__()
        self._dsn = dsn
        self._direct = direct or dsn
        self._listen = listen
        self._send_requested = threading.Event()
        self._outbox: set[str] = set()
        self._stopping = threading.Event()
        self._threads: list[threading.Thread] = []
        self._self_test_payload = f"self-test-{os.getpid()}-{id(self)}"
        self._sent_in_transaction_at = 0.0
        self.is_listening = False

    def notify(self) -> None:
        super().notify()
        self._send(_WAKE)

    def should_notify_in_transaction(self) -> bool:
        """True at most once every 10 ms: sending inside the transaction saves a round trip.

        Under load it would serialise the commits, so all other notifications are sent separately.
        """
        now = time.monotonic()
        if now - self._sent_in_transaction_at < self.in_transaction_seconds:
            return False
        self._sent_in_transaction_at = now
        return True

    async def open(self) -> None:
        await super().open()
        loops = [self._send_loop] + ([self._listen_loop] if self._listen else [])
        self._threads = [threading.Thread(target=loop, name="notifier", daemon=True) for loop in loops]
        for thread in self._threads:
            thread.start()

    async def close(self) -> None:
        self._stopping.set()
        self._send_requested.set()
        for thread in self._threads:
            await asyncio.to_thread(thread.join, 2.0)
        await super().close()

    def _send(self, payload: str) -> None:
        self._outbox.add(payload)
        self._send_requested.set()

    def _connect(self, dsn: str) -> psycopg.Connection:
        return psycopg.connect(dsn, autocommit=True, prepare_threshold=None, connect_timeout=5)

    def _send_loop(self) -> None:
        connection: psycopg.Connection | None = None
        while not self._stopping.is_set():
            self._send_requested.wait()
            self._send_requested.clear()
            if self._stopping.is_set():
                break
            try:
                if connection is None or connection.closed:
                    connection = self._connect(self._dsn)
                while self._outbox:
                    connection.execute("select pg_notify(%s, %s)", (CHANNEL, self._outbox.pop()))
            except psycopg.Error as error:
                log.debug("a notification was not sent: %s", error)
                connection = None
                self._stopping.wait(1.0)
            self._stopping.wait(self.coalesce_seconds)
        if connection is not None:
            connection.close()

    def _listen_loop(self) -> None:
        pause = 1.0
        while not self._stopping.is_set():
            started = time.monotonic()
            try:
                if not self._listen_once():
                    log.info(
                        "The database is behind a pooler: workers poll. See the setting database_listen."
                    )
                    return
            except psycopg.Error as error:
                log.debug("listening ended: %s", error)
            self.is_listening = False
            # Reconnect soon after a disconnect; a listener that never worked is tried less and less often.
            worked = time.monotonic() - started > self.self_test_seconds
            pause = 1.0 if worked else min(self.longest_pause, pause * 2)
            self._stopping.wait(pause)

    def _listen_once(self) -> bool:
        """Listen until the connection breaks or a self-test fails; False if LISTEN cannot work here."""
        with self._connect(self._direct) as connection:
            if is_pooled(connection):
                # A pooler would run LISTEN on a session that it gives to another client afterwards.
                return False
            connection.execute(f"listen {CHANNEL}")
            test_at = time.monotonic()
            deadline: float | None = None
            while not self._stopping.is_set():
                now = time.monotonic()
                if deadline is None and now >= test_at:
                    # Sent through the other connection: this one would block if its network path is dead.
                    self._send(self._self_test_payload)
                    deadline = now + self.self_test_patience
                if deadline is not None and now > deadline:
                    return True
                wait = min(1.0, (deadline or test_at) - now)
                for notification in connection.notifies(timeout=max(0.01, wait), stop_after=1):
                    if notification.payload == self._self_test_payload:
                        self.is_listening, deadline = True, None
                        test_at = time.monotonic() + self.self_test_seconds
                    elif notification.payload == _WAKE:
                        super().notify()
        return True
