"""Workers with a session lock on Postgres: their death is noticed at once, their life is not doubted."""

from __future__ import annotations

import time

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict

from tests.crash.crash_harness import CrashHarness
from tests.support.databases import PostgresServer
from tests.support.processes import WorkerProcess
from tests.support.timeouts import LONG_LEASE_SECONDS, wait_until
from towpath.ledger.postgres.worker_session import LOCK_CLASS
from towpath.worker.dead_workers import GRACE_SECONDS, LOOK_SECONDS

LEASE = ("--lease", str(LONG_LEASE_SECONDS), "--session-lock")


def _start_two(harness: CrashHarness) -> tuple[WorkerProcess, WorkerProcess]:
    """A worker that has the job, and another one; their leases last longer than the test."""
    harness.submit("waiting", ("waiting", "after"))
    first = harness.start(*LEASE)
    wait_until(lambda: harness.effects, "the stage to begin")
    second = harness.start(*LEASE)
    wait_until(lambda: second.logged("has started"), "the other worker to start")
    return first, second


def _seconds_until_takeover(harness: CrashHarness) -> float:
    first, second = _start_two(harness)
    wait_until(lambda: _sessions(harness) == 2, "both workers to hold their locks")
    # Just after a start of the database all sessions are new, and a free lock tells nothing.
    wait_until(lambda: _database_age(harness) > 10.5, "the database to run for some time")
    killed_at = time.time()
    first.kill()
    again = wait_until(
        lambda: next((effect for effect in harness.effects if effect.pid == second.pid), None),
        "the job to be worked",
    )
    harness.wait_until_all_ended()
    harness.assert_nothing_lost_and_nothing_twice()
    return again.at - killed_at


def test_the_job_of_a_killed_worker_is_taken_over_long_before_its_lease_ends(postgres: CrashHarness) -> None:
    assert _seconds_until_takeover(postgres) < LONG_LEASE_SECONDS / 2


@pytest.mark.timed
def test_the_job_of_a_killed_worker_is_taken_over_within_three_seconds(postgres: CrashHarness) -> None:
    assert _seconds_until_takeover(postgres) <= 3.0


def test_a_live_worker_that_lost_its_session_keeps_its_job(
    postgres: CrashHarness, durable_postgres: PostgresServer
) -> None:
    [submitted] = postgres.submit("blocking", seconds=8 * (GRACE_SECONDS + LOOK_SECONDS))
    first = postgres.start(*LEASE)
    wait_until(lambda: postgres.effects, "the stage to begin")
    postgres.start(*LEASE)
    wait_until(lambda: _sessions(postgres) == 2, "both workers to hold their locks")
    lost = _end_sessions(durable_postgres, postgres)
    assert lost == 2
    wait_until(lambda: _sessions(postgres) == 2, "both workers to hold their locks again")

    postgres.wait_until_all_ended()

    job = postgres.job(submitted.run_id)
    assert (job.lease_epoch, job.suspect) == (1, False)
    assert [effect.pid for effect in postgres.effects] == [first.pid]
    postgres.assert_nothing_lost_and_nothing_twice()


def test_a_frozen_worker_keeps_its_session_and_its_job_until_the_lease_ends(postgres: CrashHarness) -> None:
    first, second = _start_two(postgres)
    wait_until(lambda: _sessions(postgres) == 2, "both workers to hold their locks")
    postgres.freeze(first)
    before = len(postgres.effects)
    sweeps_until = time.monotonic() + 3 * (GRACE_SECONDS + LOOK_SECONDS)
    wait_until(lambda: time.monotonic() > sweeps_until, "several looks of the other worker")
    assert len(postgres.effects) == before

    postgres.expire_leases()

    wait_until(
        lambda: any(effect.pid == second.pid for effect in postgres.effects), "the other worker to work"
    )
    first.wake()
    postgres.wait_until_all_ended()
    postgres.assert_nothing_lost_and_nothing_twice()


def _sessions(harness: CrashHarness) -> int:
    """The number of session locks of workers in this database."""
    query = """
    select count(*) from pg_locks join pg_database on pg_database.oid = pg_locks.database
    where locktype = 'advisory' and classid = %s and granted and datname = current_database()
    """
    with psycopg.connect(harness.engine.address) as connection:
        row = connection.execute(query, (LOCK_CLASS,)).fetchone()
    return int(row[0]) if row else 0


def _database_age(harness: CrashHarness) -> float:
    """Seconds since the start of the database."""
    query = "select extract(epoch from clock_timestamp() - pg_postmaster_start_time())"
    with psycopg.connect(harness.engine.address) as connection:
        row = connection.execute(query).fetchone()
    return float(row[0]) if row else 0.0


def _end_sessions(server: PostgresServer, harness: CrashHarness) -> int:
    """End the sessions that hold locks of workers; how many there were."""
    query = """
    select pg_terminate_backend(pid) from pg_locks join pg_database on pg_database.oid = pg_locks.database
    where locktype = 'advisory' and classid = %s and datname = %s
    """
    name = conninfo_to_dict(harness.engine.address)["dbname"]
    with psycopg.connect(server.dsn(), autocommit=True) as connection:
        return len(connection.execute(query, (LOCK_CLASS, name)).fetchall())
