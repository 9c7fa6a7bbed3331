"""Reference without a library: a queue in SQLite with bare transactions and synchronous=FULL."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Mapping

from bench.libraries.contract import BULK, Measure, QueueLibrary, Task
from bench.libraries.counters import WorkerCounters

SETUP = """
CREATE TABLE job (
  id INTEGER PRIMARY KEY, state TEXT NOT NULL DEFAULT 'ready', payload INTEGER NOT NULL,
  created_at REAL NOT NULL DEFAULT (julianday('now')), finished_at REAL
);
CREATE INDEX job_ready ON job (id) WHERE state = 'ready';
"""
CLAIM = """
UPDATE job SET state = 'working' WHERE id IN (SELECT id FROM job WHERE state = 'ready' ORDER BY id LIMIT ?)
RETURNING id, payload
"""
FINISH = "UPDATE job SET state = 'done', finished_at = julianday('now') WHERE id = ?"
SUBMIT = "INSERT INTO job (payload) VALUES (?)"
POLL_SECONDS = 0.01
BUSY_SECONDS = 30.0


class RawSqlite(QueueLibrary):
    engine = "sqlite"
    schema = "raw_sqlite"
    absent: Mapping[Measure, str] = {
        "durable": "not written",
        "million": "not written",
        "idle": "no server to ask",
        "kill": "no lease, no rescue",
    }

    def __init__(self, key: str, label: str, batch: int) -> None:
        self.key = key
        self.label = label
        poll = f"polls every {POLL_SECONDS * 1000:.0f} ms"
        self.settings = f"WAL, synchronous=FULL, {batch} claimed per transaction, {poll}"
        self._batch = batch
        self._connection: sqlite3.Connection | None = None

    async def setup(self, dsn: str) -> None:
        connection = _connect(dsn)
        connection.executescript(SETUP)
        connection.close()

    async def connect(self, dsn: str) -> None:
        self._connection = _connect(dsn)

    async def close(self) -> None:
        self._opened.close()

    async def submit(self, task: Task, index: int) -> None:
        self._opened.execute(SUBMIT, (index,))

    async def submit_bulk(self, count: int) -> None:
        for start in range(0, count, BULK):
            self._opened.execute("BEGIN IMMEDIATE")
            self._opened.executemany(SUBMIT, ((index,) for index in range(start, min(start + BULK, count))))
            self._opened.execute("COMMIT")

    async def unfinished(self) -> int:
        return self._opened.execute("SELECT count(*) FROM job WHERE state <> 'done'").fetchone()[0]

    def work(self, dsn: str, counters: WorkerCounters) -> None:
        connection = _connect(dsn)
        counters.wait_for_start()
        while True:
            while claimed := connection.execute(CLAIM, (self._batch,)).fetchall():
                for _, index in claimed:
                    counters.began(index)
                connection.execute("BEGIN IMMEDIATE")
                connection.executemany(FINISH, ((job,) for job, _ in claimed))
                connection.execute("COMMIT")
            time.sleep(POLL_SECONDS)

    @property
    def _opened(self) -> sqlite3.Connection:
        assert self._connection is not None
        return self._connection


def _connect(path: str) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    return connection


LIBRARIES = (
    RawSqlite("raw_sqlite", "Raw floor: one at a time", 1),
    RawSqlite("raw_sqlite-50", "Raw limit: batches of 50", 50),
)
