"""A live worker is never robbed, one cut off falls silent in time, a dead one's job is soon worked again."""

from __future__ import annotations

import contextlib
import sqlite3
import time
from collections.abc import Generator
from datetime import UTC, datetime

import pytest

from tests.crash.arena import Arena
from tests.crash.proxy import proxied
from tests.support.databases import PostgresServer
from tests.support.processes import wait_for
from towpath.ledger.columns import to_instant

LEASE = 3.0


def test_a_stage_that_blocks_the_event_loop_for_several_leases_keeps_its_job(arena: Arena) -> None:
    lease = 1.5
    [submitted] = arena.submit("blocking", seconds=3 * lease)
    blocked = arena.start("--lease", str(lease))
    wait_for(lambda: arena.effects, "the stage to begin")
    robber = arena.start("--lease", str(lease))
    arena.wait_until_all_ended()
    job = arena.job(submitted.run_id)
    assert (job.lease_epoch, job.crashes, job.attempts) == (1, 0, 0)
    assert [deed.pid for deed in arena.effects] == [blocked.pid]
    for worker in (blocked, robber):
        worker.retire()
    arena.assert_nothing_lost_and_nothing_twice()


def test_a_killed_workers_job_is_worked_again_within_its_lease_and_two_seconds(arena: Arena) -> None:
    arena.submit("lingering", ("lingering", "after"))
    victim = arena.start("--lease", str(LEASE))
    wait_for(lambda: arena.effects, "the stage to begin")
    heir = arena.start("--lease", str(LEASE))
    wait_for(lambda: heir.said("is here"), "the other worker to be there")
    killed_at = time.time()
    victim.kill()
    again = wait_for(
        lambda: next((deed for deed in arena.effects if deed.pid == heir.pid), None), "the job to be worked"
    )
    assert again.at - killed_at <= LEASE + 2.0
    arena.wait_until_all_ended()
    arena.assert_nothing_lost_and_nothing_twice()


def test_a_worker_cut_off_from_sqlite_falls_silent_before_its_lease_ends(sqlite: Arena) -> None:
    _falls_silent(sqlite, _locked(sqlite))


@pytest.mark.parametrize("how", ["hang", "refuse"])
def test_a_worker_cut_off_from_postgres_falls_silent_before_its_lease_ends(
    postgres: Arena, durable_postgres: PostgresServer, how: str
) -> None:
    with proxied(durable_postgres.folder) as (proxy, folder):
        postgres.address = postgres.address.replace(str(durable_postgres.folder), str(folder))

        @contextlib.contextmanager
        def cut() -> Generator[None]:
            (proxy.hang if how == "hang" else proxy.refuse)()
            yield
            proxy.mend()

        _falls_silent(postgres, cut())


def _falls_silent(arena: Arena, cut: contextlib.AbstractContextManager[None]) -> None:
    [submitted] = arena.submit("calling")
    worker = arena.start("--lease", str(LEASE))
    wait_for(lambda: len(arena.effects) > 10, "the worker to call its provider")
    with cut:
        ends = wait_for(lambda: _ended_lease(arena, submitted.run_id), "the lease to run out")
        made = [deed for deed in arena.effects if deed.what == "call"]
    assert made[-1].at < ends.timestamp(), "a call was started after the lease could have been another's"
    # It recovers by itself: it sweeps up its own lost job and works it again.
    arena.wait_until_all_ended()
    assert worker.said("the lease is lost")
    assert arena.job(submitted.run_id).lease_epoch == 3
    assert [deed.epoch for deed in arena.effects if deed.what == "stage"] == [1, 3]
    worker.retire()
    arena.assert_nothing_lost_and_nothing_twice()


def _ended_lease(arena: Arena, run_id: str | None) -> datetime | None:
    until = to_instant(arena.job(run_id).lease_until)
    return until if until < datetime.now(UTC) else None


@contextlib.contextmanager
def _locked(arena: Arena) -> Generator[None]:
    """What being cut off is on SQLite: somebody sits on the only write lock."""
    connection = sqlite3.connect(arena.address, timeout=30, isolation_level=None)
    connection.execute("begin immediate")
    yield
    connection.close()
