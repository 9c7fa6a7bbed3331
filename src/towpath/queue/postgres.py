"""A bell across processes: NOTIFY, at most one every few milliseconds, and a LISTEN that tests itself.

NOTIFY serialises commits, so it is never part of a transaction that does work. LISTEN dies silently
(a failover, a pooler in transaction mode), so the listener rings for itself now and then and starts
anew when it does not hear it. When it cannot be had at all, workers simply poll.
"""

from __future__ import annotations

import asyncio
import logging
import os
import threading
import time

import psycopg

from towpath.pooler import behind_pooler
from towpath.queue.local import LocalBell

log = logging.getLogger(__name__)

CHANNEL = "towpath"
_RING = ""


class PostgresBell(LocalBell):
    #: Rings closer together than this are one ring.
    coalesce_seconds = 0.004
    ride_seconds = 0.01
    self_test_seconds = 60.0
    self_test_patience = 3.0
    longest_pause = 60.0

    def __init__(self, dsn: str, *, listen: bool = True, direct: str | None = None) -> None:
        """``direct`` is the database's own address, where ``dsn`` is a pooler's: nobody can listen through one."""
        super().__init__()
        self._dsn = dsn
        self._direct = direct or dsn
        self._listen = listen
        self._wanted = threading.Event()
        self._outbox: set[str] = set()
        self._stopping = threading.Event()
        self._threads: list[threading.Thread] = []
        self._name = f"self-test-{os.getpid()}-{id(self)}"
        self._rode_at = 0.0
        self.reliable = False

    def ring(self) -> None:
        super().ring()
        self._send(_RING)

    def rides(self) -> bool:
        """Now and then a ring may ride in a transaction: it saves a round trip when there is little to do.

        Under load it would serialise the commits, so rings closer together go the other way.
        """
        now = time.monotonic()
        if now - self._rode_at < self.ride_seconds:
            return False
        self._rode_at = now
        return True

    async def open(self) -> None:
        await super().open()
        loops = [self._send_loop] + ([self._listen_loop] if self._listen else [])
        self._threads = [threading.Thread(target=loop, name="bell", daemon=True) for loop in loops]
        for thread in self._threads:
            thread.start()

    async def close(self) -> None:
        self._stopping.set()
        self._wanted.set()
        for thread in self._threads:
            await asyncio.to_thread(thread.join, 2.0)
        await super().close()

    def _send(self, payload: str) -> None:
        self._outbox.add(payload)
        self._wanted.set()

    def _connect(self, dsn: str) -> psycopg.Connection:
        return psycopg.connect(dsn, autocommit=True, prepare_threshold=None, connect_timeout=5)

    def _send_loop(self) -> None:
        connection: psycopg.Connection | None = None
        while not self._stopping.is_set():
            self._wanted.wait()
            self._wanted.clear()
            if self._stopping.is_set():
                break
            try:
                if connection is None or connection.closed:
                    connection = self._connect(self._dsn)
                while self._outbox:
                    connection.execute("select pg_notify(%s, %s)", (CHANNEL, self._outbox.pop()))
            except psycopg.Error as error:
                log.debug("a ring was not sent: %s", error)
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
                        "There is a pooler before the database: workers poll. See the setting database_listen."
                    )
                    return
            except psycopg.Error as error:
                log.debug("listening ended: %s", error)
            self.reliable = False
            # A listener that lived a while was cut off; one that never worked is asked ever more rarely.
            lived = time.monotonic() - started > self.self_test_seconds
            pause = 1.0 if lived else min(self.longest_pause, pause * 2)
            self._stopping.wait(pause)

    def _listen_once(self) -> bool:
        """Listen until the connection breaks or a self-test goes unheard; false where listening cannot work."""
        with self._connect(self._direct) as connection:
            if behind_pooler(connection):
                # It would make some session listen that is somebody else's a moment later.
                return False
            connection.execute(f"listen {CHANNEL}")
            test_at = time.monotonic()
            deadline: float | None = None
            while not self._stopping.is_set():
                now = time.monotonic()
                if deadline is None and now >= test_at:
                    # Through the other connection: on a wire that went silent this one would wait for ever.
                    self._send(self._name)
                    deadline = now + self.self_test_patience
                if deadline is not None and now > deadline:
                    return True
                wait = min(1.0, (deadline or test_at) - now)
                for heard in connection.notifies(timeout=max(0.01, wait), stop_after=1):
                    if heard.payload == self._name:
                        self.reliable, deadline = True, None
                        test_at = time.monotonic() + self.self_test_seconds
                    elif heard.payload == _RING:
                        super().ring()
        return True
