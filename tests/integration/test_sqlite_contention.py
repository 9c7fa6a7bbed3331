"""SQLite beside another writer: a locked database is not a dead worker."""

from __future__ import annotations

import asyncio
import logging
import subprocess
import sys
from pathlib import Path

import pytest

from tests.integration.worker_harness import WorkerHarness
from tests.support.databases import migrated_sqlite, sqlite_engine
from tests.support.timeouts import async_wait_until
from towpath.model.event import EventKind
from towpath.model.ids import DEFAULT_ORG_ID
from towpath.model.job import JobStatus
from towpath.model.outcome import Done, Outcome
from towpath.stages.contract import Context
from towpath.worker.settings import WorkerSettings

LEASE_SECONDS = 2.0
SETTINGS = WorkerSettings(
    concurrency=4,
    lease_seconds=LEASE_SECONDS,
    heartbeat_seconds=0.5,
    poll_seconds=0.1,
    grace_seconds=0.2,
    sole_worker=True,
)
#: A process that takes the write lock of a SQLite file, says so, and keeps it for some seconds.
LOCKING_PROCESS = """
import sqlite3, sys, time
connection = sqlite3.connect(sys.argv[1], timeout=60, isolation_level=None)
connection.execute("begin immediate")
print("locked", flush=True)
time.sleep(float(sys.argv[2]))
connection.execute("rollback")
"""


async def test_a_worker_keeps_its_job_while_another_process_locks_the_database(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    started, goes_on = asyncio.Event(), asyncio.Event()

    async def read(_context: Context) -> Outcome:
        started.set()
        await goes_on.wait()
        return Done()

    path = tmp_path / "ledger.db"
    caplog.set_level(logging.WARNING)
    with sqlite_engine(path, migrated_sqlite(tmp_path / "template.db")) as engine:
        harness = WorkerHarness(engine)
        async with harness.run_worker({"read": read}, worker_settings=SETTINGS):
            submitted = await harness.submit("read")
            await started.wait()
            # Given another process that holds the lock for four times as long as the lease
            await asyncio.to_thread(_lock, path, LEASE_SECONDS * 4)
            # When the database answers again, the heartbeat extends the lease
            await async_wait_until(lambda: _has_contention(harness, str(submitted.run_id)), "the event")
            goes_on.set()
            await harness.wait_until_ended(submitted)
        job = await harness.job(submitted)
        assert (job.status, job.lease_epoch) == (JobStatus.COMPLETED, 1)
        assert (job.attempts, job.crashes, job.suspect) == (0, 0, False)
    assert "another process has locked the SQLite database" in caplog.text


def _lock(path: Path, seconds: float) -> None:
    locking_process = subprocess.run(
        [sys.executable, "-c", LOCKING_PROCESS, str(path), str(seconds)],
        capture_output=True,
        text=True,
        check=True,
    )
    assert locking_process.stdout == "locked\n"


async def _has_contention(harness: WorkerHarness, run_id: str) -> bool:
    events = await harness.engine.ledger.events(run_id, org_id=DEFAULT_ORG_ID)
    return any(event.kind is EventKind.SCHEDULER_CONTENTION for event in events)
