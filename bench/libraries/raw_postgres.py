"""Reference without a library: a queue in Postgres with SKIP LOCKED on one connection."""

from __future__ import annotations

from collections.abc import Mapping
from typing import LiteralString

import psycopg

from bench.libraries.contract import BULK, STEPS, Measure, QueueLibrary, Task
from bench.libraries.counters import WorkerCounters
from bench.libraries.preload import without_indexes

SETUP: LiteralString = """
CREATE TABLE job (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  state text NOT NULL DEFAULT 'ready',
  payload jsonb NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  started_at timestamptz,
  finished_at timestamptz
);
CREATE INDEX job_ready ON job (id) WHERE state = 'ready';
CREATE INDEX job_working ON job (id) WHERE state = 'working';
CREATE TABLE run (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  state text NOT NULL DEFAULT 'ready',
  step integer NOT NULL DEFAULT 0,
  checkpoint jsonb
);
CREATE INDEX run_ready ON run (id) WHERE state = 'ready';
"""
SUBMIT: LiteralString = """
WITH submitted AS (
  INSERT INTO job (payload) SELECT jsonb_build_object('index', n) FROM unnest(%s::int[]) AS n
) SELECT pg_notify('job', '')
"""
CLAIM: LiteralString = """
UPDATE job SET state = 'working', started_at = now() WHERE id = ANY (ARRAY(
  SELECT id FROM job WHERE state = 'ready' ORDER BY id LIMIT %s FOR UPDATE SKIP LOCKED
)) RETURNING id, (payload->>'index')::int
"""
FINISH: LiteralString = "UPDATE job SET state = 'done', finished_at = now() WHERE id = ANY (%s)"
CLAIM_RUN: LiteralString = """
UPDATE run SET state = 'working' WHERE id = ANY (ARRAY(
  SELECT id FROM run WHERE state = 'ready' ORDER BY id LIMIT %s FOR UPDATE SKIP LOCKED
)) RETURNING id, id::int
"""
CHECKPOINT: LiteralString = """
UPDATE run SET step = %s, checkpoint = '{"result": 1}', state = %s WHERE id = ANY (%s)
"""
UNFINISHED: LiteralString = """
SELECT (SELECT count(*) FROM job WHERE state IN ('ready', 'working'))
     + (SELECT count(*) FROM run WHERE state IN ('ready', 'working'))
"""
PRELOAD: LiteralString = """
INSERT INTO job (state, payload, created_at, started_at, finished_at)
SELECT 'done', jsonb_build_object('index', n), now(), now(), now() FROM generate_series(1, %s) AS n
"""
POLL_SECONDS = 1.0


class RawPostgres(QueueLibrary):
    engine = "postgres"
    schema = "raw_postgres"
    absent: Mapping[Measure, str] = {
        "idle": "one poll a second by construction",
        "kill": "no lease, no rescue",
    }

    def __init__(self, key: str, label: str, batch: int) -> None:
        self.key = key
        self.label = label
        self.settings = (
            f"psycopg, one connection per worker, {batch} claimed per statement, insert with NOTIFY"
        )
        self._batch = batch
        self._connection: psycopg.Connection | None = None
        self._dsn = ""

    async def setup(self, dsn: str) -> None:
        with psycopg.connect(dsn, autocommit=True) as connection:
            connection.execute(SETUP)

    async def connect(self, dsn: str) -> None:
        self._dsn = dsn
        self._connection = psycopg.connect(dsn, autocommit=True)

    async def close(self) -> None:
        self._opened.close()

    async def submit(self, task: Task, index: int) -> None:
        self._opened.execute(SUBMIT, ([index],))

    async def submit_bulk(self, count: int) -> None:
        for start in range(0, count, BULK):
            self._opened.execute(SUBMIT, (list(range(start, min(start + BULK, count))),))

    async def submit_runs(self, count: int) -> None:
        self._opened.execute("INSERT INTO run (step) SELECT 0 FROM generate_series(1, %s)", (count,))

    async def unfinished(self) -> int:
        row = self._opened.execute(UNFINISHED).fetchone()
        return int(row[0]) if row else 0

    async def preload_finished(self, count: int) -> None:
        with without_indexes(self._dsn) as connection:
            connection.execute(PRELOAD, (count,))

    def work(self, dsn: str, counters: WorkerCounters) -> None:
        with psycopg.connect(dsn, autocommit=True) as connection:
            connection.execute("LISTEN job")
            counters.wait_for_start()
            while True:
                while claimed := _claim(connection, CLAIM, self._batch, counters):
                    connection.execute(FINISH, (claimed,))
                while claimed := _claim(connection, CLAIM_RUN, self._batch, counters):
                    _run_steps(connection, claimed)
                for _ in connection.notifies(timeout=POLL_SECONDS, stop_after=1):
                    pass

    @property
    def _opened(self) -> psycopg.Connection:
        assert self._connection is not None
        return self._connection


def _claim(
    connection: psycopg.Connection, statement: LiteralString, batch: int, counters: WorkerCounters
) -> list[int]:
    """Claim a batch, do the no-op work, and return the claimed ids."""
    rows = connection.execute(statement, (batch,)).fetchall()
    for _, index in rows:
        counters.began(index)
    return [row[0] for row in rows]


def _run_steps(connection: psycopg.Connection, ids: list[int]) -> None:
    for step in range(1, STEPS + 1):
        connection.execute(CHECKPOINT, (step, "done" if step == STEPS else "working", ids))


LIBRARIES = (
    RawPostgres("raw_postgres", "Raw floor: SKIP LOCKED, one at a time", 1),
    RawPostgres("raw_postgres-50", "Raw limit: SKIP LOCKED, batches of 50", 50),
)
