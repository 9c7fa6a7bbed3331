"""Postgres is restarted under load: all runs complete, and no stage is completed twice."""

from __future__ import annotations

import contextlib
import signal
import threading
import time
from collections.abc import Generator

import psycopg
import pytest
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict

from tests.crash.crash_harness import CrashHarness
from tests.crash.side_effects import calls
from tests.crash.stages import BUSY
from tests.support.databases import PostgresServer
from tests.support.timeouts import WAIT_SECONDS, wait_until

RUNS = 240


def _under_load(harness: CrashHarness) -> None:
    """Start three workers on many runs and wait until they are busy."""
    harness.submit("busy", BUSY, count=RUNS)
    for _ in range(3):
        harness.start("--lease", "3", "--concurrency", "8")
    wait_until(lambda: len(harness.effects) > 20, "the workers to be busy")


def _assert_all_completed(harness: CrashHarness) -> None:
    harness.wait_until_all_ended()
    for worker in harness.workers:
        worker.retire()
    harness.assert_nothing_lost_and_nothing_twice()
    # A call is repeated only if it was begun and its answer was not stored: it is counted as repeated.
    made = calls(harness.effects)
    for document_id, times in made.items():
        rows = harness.calls_of(document_id)
        assert len(rows) == len(BUSY)
        assert len(BUSY) <= times <= len(BUSY) + sum(row.repeated for row in rows)


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGQUIT], ids=["stopped", "crashed"])
def test_runs_complete_although_postgres_is_restarted(
    postgres: CrashHarness, durable_postgres: PostgresServer, how: signal.Signals
) -> None:
    _under_load(postgres)
    for _ in range(2):
        before = len(postgres.effects)
        assert before < RUNS * len(BUSY) / 2, "too little work is left when Postgres is stopped"
        durable_postgres.restart(how)
        wait_until(lambda before=before: len(postgres.effects) > before + 20, "the work to go on")
    _assert_all_completed(postgres)


def test_runs_complete_while_all_sessions_are_terminated_ten_times_a_second(
    postgres: CrashHarness, durable_postgres: PostgresServer
) -> None:
    _under_load(postgres)
    with _terminate_sessions(durable_postgres, str(conninfo_to_dict(postgres.address)["dbname"])) as ended:
        wait_until(lambda: len(ended) > 30 and sum(ended) > 50, "enough sessions to be terminated")
    _assert_all_completed(postgres)


@contextlib.contextmanager
def _terminate_sessions(server: PostgresServer, database: str) -> Generator[list[int]]:
    """Terminate all sessions of a database every 100 ms; yields the number of sessions ended each time."""
    over = threading.Event()
    ended: list[int] = []

    def terminate() -> None:
        query = "select pg_terminate_backend(pid) from pg_stat_activity where datname = %s"
        with psycopg.connect(server.dsn(), autocommit=True) as connection:
            while not over.wait(0.1):
                ended.append(len(connection.execute(query, (database,)).fetchall()))

    thread = threading.Thread(target=terminate)
    thread.start()
    try:
        yield ended
    finally:
        over.set()
        thread.join()


def test_an_idle_worker_sends_at_most_seventy_statements_a_minute(
    postgres: CrashHarness, durable_postgres: PostgresServer
) -> None:
    with _statements_logged(durable_postgres, postgres):
        worker = postgres.start()
        # The statements of its start are over when the worker polls for the third time.
        wait_until(lambda: _log(durable_postgres).count("with recursive org_ranges") > 2, "three claims")
        before, started, seconds = _statements(durable_postgres), time.monotonic(), 60.0
        wait_until(lambda: time.monotonic() - started > seconds, "the time to pass", WAIT_SECONDS)
        a_minute = (_statements(durable_postgres) - before) * 60.0 / (time.monotonic() - started)
        assert 0 < a_minute <= 70
        worker.retire()


@contextlib.contextmanager
def _statements_logged(server: PostgresServer, harness: CrashHarness) -> Generator[None]:
    name = sql.Identifier(str(conninfo_to_dict(harness.address)["dbname"]))
    server.command(sql.SQL("alter database {} set log_statement = 'all'").format(name))
    yield
    server.command(sql.SQL("alter database {} reset log_statement").format(name))


def _statements(server: PostgresServer) -> int:
    """Statements in the server's log; only one database has its statements logged."""
    log = _log(server)
    return sum(log.count(kind) for kind in ("LOG:  statement:", "LOG:  execute"))


def _log(server: PostgresServer) -> str:
    return (server.folder / "server.log").read_text("utf-8", "replace")
