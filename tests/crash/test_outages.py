"""Postgres goes away under load and comes back: everything is completed, and nothing happens twice."""

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

from tests.crash.arena import Arena
from tests.crash.effects import calls
from tests.crash.stages import BUSY
from tests.support.databases import PostgresServer
from tests.support.processes import wait_for

RUNS = 240


def _under_load(arena: Arena) -> None:
    """Three workers in the midst of many runs."""
    arena.submit("busy", BUSY, count=RUNS)
    for _ in range(3):
        arena.start("--lease", "3", "--concurrency", "8")
    wait_for(lambda: len(arena.effects) > 20, "the workers to be busy")


def _assert_all_came_through(arena: Arena) -> None:
    arena.wait_until_all_ended(60.0)
    for worker in arena.workers:
        worker.retire()
    arena.assert_nothing_lost_and_nothing_twice()
    # A call is made a second time only where it was begun and its answer not kept: an open window.
    made = calls(arena.effects)
    for document_id, times in made.items():
        rows = arena.calls_of(document_id)
        assert len(rows) == len(BUSY)
        assert len(BUSY) <= times <= len(BUSY) + sum(row.reopened for row in rows)


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGQUIT], ids=["stopped", "crashed"])
def test_postgres_ends_and_starts_again(
    postgres: Arena, durable_postgres: PostgresServer, how: signal.Signals
) -> None:
    _under_load(postgres)
    for _ in range(2):
        before = len(postgres.effects)
        assert before < RUNS * len(BUSY) / 2, "there is too little left to do when Postgres goes away"
        durable_postgres.restart(how)
        wait_for(lambda before=before: len(postgres.effects) > before + 20, "the work to go on")
    _assert_all_came_through(postgres)


def test_every_session_is_ended_ten_times_a_second(postgres: Arena, durable_postgres: PostgresServer) -> None:
    _under_load(postgres)
    with _storm(durable_postgres, str(conninfo_to_dict(postgres.address)["dbname"])) as ended:
        wait_for(lambda: len(ended) > 30 and sum(ended) > 50, "the storm to rage")
    _assert_all_came_through(postgres)


@contextlib.contextmanager
def _storm(server: PostgresServer, database: str) -> Generator[list[int]]:
    """Ends all sessions of a database every 100 ms; gives the numbers of those it ended."""
    over = threading.Event()
    ended: list[int] = []

    def rage() -> None:
        query = "select pg_terminate_backend(pid) from pg_stat_activity where datname = %s"
        with psycopg.connect(server.dsn(), autocommit=True) as connection:
            while not over.wait(0.1):
                ended.append(len(connection.execute(query, (database,)).fetchall()))

    storm = threading.Thread(target=rage)
    storm.start()
    try:
        yield ended
    finally:
        over.set()
        storm.join()


def test_an_idle_worker_asks_at_most_seventy_times_a_minute(
    postgres: Arena, durable_postgres: PostgresServer
) -> None:
    with _statements_logged(durable_postgres, postgres):
        worker = postgres.start()
        # Idle for a while already: it has stopped polling every second.
        wait_for(lambda: _statements(durable_postgres) > 15, "the worker to have looked around")
        before, started, seconds = _statements(durable_postgres), time.monotonic(), 20.0
        wait_for(lambda: time.monotonic() - started > seconds, "the time to pass", seconds + 1)
        a_minute = (_statements(durable_postgres) - before) * 60.0 / (time.monotonic() - started)
        assert 0 < a_minute <= 70
        worker.retire()


@contextlib.contextmanager
def _statements_logged(server: PostgresServer, arena: Arena) -> Generator[None]:
    name = sql.Identifier(str(conninfo_to_dict(arena.address)["dbname"]))
    server.command(sql.SQL("alter database {} set log_statement = 'all'").format(name))
    yield
    server.command(sql.SQL("alter database {} reset log_statement").format(name))


def _statements(server: PostgresServer) -> int:
    """Statements in the server's log; only one database has its statements logged."""
    said = (server.folder / "server.log").read_text("utf-8", "replace")
    return sum(said.count(kind) for kind in ("LOG:  statement:", "LOG:  execute"))
