"""Leases: a live worker keeps its job, a disconnected one stops in time, a killed one is replaced soon."""

from __future__ import annotations

import contextlib
import sqlite3
import time
from collections.abc import Generator
from datetime import UTC, datetime

import pytest

from tests.crash.crash_harness import CrashHarness
from tests.crash.proxy import proxied
from tests.support.databases import PostgresServer
from tests.support.timeouts import wait_until
from towpath.ledger.columns import to_instant

LEASE = 3.0


def test_a_stage_that_blocks_the_event_loop_for_several_leases_keeps_its_job(harness: CrashHarness) -> None:
    # Long enough that a busy machine does not delay all heartbeats of a lease.
    lease = 12.0
    [submitted] = harness.submit("blocking", seconds=2.2 * lease)
    blocked = harness.start("--lease", str(lease))
    wait_until(lambda: harness.effects, "the stage to begin")
    other_worker = harness.start("--lease", str(lease))
    harness.wait_until_all_ended()
    job = harness.job(submitted.run_id)
    assert (job.lease_epoch, job.crashes, job.attempts) == (1, 0, 0)
    assert [effect.pid for effect in harness.effects] == [blocked.pid]
    for worker in (blocked, other_worker):
        worker.retire()
    harness.assert_nothing_lost_and_nothing_twice()


@pytest.mark.timed
def test_the_job_of_a_killed_worker_is_taken_over_within_its_lease_and_two_seconds(
    harness: CrashHarness,
) -> None:
    assert _seconds_until_takeover(harness) <= LEASE + 2.0


def test_the_job_of_a_killed_worker_is_taken_over(harness: CrashHarness) -> None:
    assert _seconds_until_takeover(harness) > 0


def _seconds_until_takeover(harness: CrashHarness) -> float:
    harness.submit("waiting", ("waiting", "after"))
    worker = harness.start("--lease", str(LEASE))
    wait_until(lambda: harness.effects, "the stage to begin")
    second_worker = harness.start("--lease", str(LEASE))
    wait_until(lambda: second_worker.logged("has started"), "the other worker to start")
    killed_at = time.time()
    worker.kill()
    again = wait_until(
        lambda: next((effect for effect in harness.effects if effect.pid == second_worker.pid), None),
        "the job to be worked",
    )
    harness.wait_until_all_ended()
    harness.assert_nothing_lost_and_nothing_twice()
    return again.at - killed_at


def test_a_worker_without_sqlite_makes_no_call_after_its_lease(sqlite: CrashHarness) -> None:
    _assert_no_call_after_the_lease(sqlite, _locked(sqlite))


@pytest.mark.parametrize("how", ["hang", "refuse"])
def test_a_worker_without_postgres_makes_no_call_after_its_lease(
    postgres: CrashHarness, durable_postgres: PostgresServer, how: str
) -> None:
    with proxied(durable_postgres.folder) as (proxy, folder):
        postgres.address = postgres.address.replace(str(durable_postgres.folder), str(folder))

        @contextlib.contextmanager
        def cut() -> Generator[None]:
            (proxy.hang if how == "hang" else proxy.refuse)()
            yield
            proxy.restore()

        _assert_no_call_after_the_lease(postgres, cut())


def _assert_no_call_after_the_lease(
    harness: CrashHarness, cut: contextlib.AbstractContextManager[None]
) -> None:
    [submitted] = harness.submit("calling")
    worker = harness.start("--lease", str(LEASE))
    wait_until(lambda: len(harness.effects) > 10, "the worker to call its provider")
    with cut:
        ends = wait_until(lambda: _ended_lease(harness, submitted.run_id), "the lease to run out")
        made = [effect for effect in harness.effects if effect.what == "call"]
    assert made[-1].at < ends.timestamp(), "a call was started after the end of the lease"
    # The worker recovers: it rescues its own lost job and processes it again.
    harness.wait_until_all_ended()
    assert worker.logged("the lease is lost")
    assert harness.job(submitted.run_id).lease_epoch == 3
    assert [effect.epoch for effect in harness.effects if effect.what == "stage"] == [1, 3]
    worker.retire()
    harness.assert_nothing_lost_and_nothing_twice()


def _ended_lease(harness: CrashHarness, run_id: str | None) -> datetime | None:
    until = to_instant(harness.job(run_id).lease_until)
    return until if until < datetime.now(UTC) else None


@contextlib.contextmanager
def _locked(harness: CrashHarness) -> Generator[None]:
    """Hold the only write lock of SQLite: no worker can write."""
    connection = sqlite3.connect(harness.address, timeout=30, isolation_level=None)
    connection.execute("begin immediate")
    yield
    connection.close()
