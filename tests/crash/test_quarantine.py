"""Quarantine: only a document that ends its process while it runs alone; never one whose worker was killed."""

from __future__ import annotations

import contextlib
import random
import signal

import psutil
from sqlalchemy import select

from tests.crash.crash_harness import CrashHarness
from tests.support.timeouts import LONG_LEASE_SECONDS, wait_until
from towpath.ledger.contract.ledger import Submitted
from towpath.ledger.tables import processing_runs
from towpath.worker.isolated_executor import MAX_ALONE

_runs = processing_runs.c
WORKER = ("--isolate", "--lease", str(LONG_LEASE_SECONDS), "--heartbeat", "5", "--concurrency", "8")


def _failure(harness: CrashHarness, submitted: Submitted) -> tuple[str, str | None, str | None]:
    query = select(_runs.state, _runs.failure_type, _runs.error).where(_runs.id == submitted.run_id)
    row = harness.rows(query)[0]
    return row.state, row.failure_type, row.error


def _assert_untouched(harness: CrashHarness, neighbours: list[Submitted]) -> None:
    for neighbour in neighbours:
        assert harness.run_state(neighbour.run_id) == "COMPLETED"
        assert {(job.attempts, job.crashes) for job in harness.jobs(neighbour.run_id)} == {(0, 0)}


def test_a_document_that_ends_its_worker_is_quarantined_and_its_neighbours_complete(
    harness: CrashHarness,
) -> None:
    neighbours = harness.submit("sleeping", ("sleeping", "later"), count=3, seconds=1.0)
    (guilty,) = harness.submit("crashing", max_attempts=1)
    neighbours += harness.submit("sleeping", ("sleeping", "later"), count=4, seconds=1.0)
    # Given a worker that died of it, with other jobs in the same process
    worker = harness.start(*WORKER)
    assert worker.exit_code() == -signal.SIGSEGV
    assert (harness.job(guilty.run_id).attempts, harness.job(guilty.run_id).crashes) == (0, 0)
    # When its jobs are rescued
    harness.expire_leases()
    survivor = harness.start(*WORKER)
    harness.wait_until_all_ended()
    # Then the second worker survives both crashes of the guilty document
    assert survivor.alive
    state, failure_type, error = _failure(harness, guilty)
    assert (state, failure_type) == ("FAILED", "QUARANTINED")
    assert error is not None
    assert "SIGSEGV" in error
    job = harness.job(guilty.run_id)
    assert (job.status, job.attempts, job.crashes) == ("FAILED", 0, 2)
    _assert_untouched(harness, neighbours)
    survivor.retire()


def test_a_document_that_ends_its_reader_is_quarantined_and_its_neighbours_complete(
    harness: CrashHarness,
) -> None:
    neighbours = harness.submit("sleeping", ("sleeping", "later"), count=3, seconds=1.0)
    (guilty,) = harness.submit("crashing-reader", max_attempts=1)
    worker = harness.start(*WORKER)
    harness.wait_until_all_ended()
    assert worker.alive
    assert _failure(harness, guilty)[:2] == ("FAILED", "QUARANTINED")
    job = harness.job(guilty.run_id)
    assert (job.status, job.attempts, job.crashes, bool(job.suspect)) == ("FAILED", 0, 2, False)
    _assert_untouched(harness, neighbours)
    worker.retire()


def test_documents_whose_workers_are_killed_again_and_again_are_never_quarantined(
    harness: CrashHarness,
) -> None:
    documents = harness.submit("sleeping", ("sleeping", "later"), count=10, seconds=0.5)
    rng = random.Random(13)
    for _ in range(3):
        workers = [harness.start(*WORKER) for _ in range(2)]
        done = len(harness.effects)
        wait_until(lambda done=done: len(harness.effects) > done + 2, "the workers to run stages")
        for worker in workers:
            wait_until(lambda: rng.random() < 0.2, "a random moment")
            worker.kill()
        for worker in workers:
            worker.exit_code()
        harness.expire_leases()
    workers = [harness.start(*WORKER) for _ in range(2)]
    harness.wait_until_all_ended()
    for worker in workers:
        worker.retire()
    assert any(job.suspect for document in documents for job in harness.jobs(document.run_id))
    _assert_untouched(harness, documents)
    harness.assert_nothing_lost_and_nothing_twice()


def test_the_suspects_of_a_killed_worker_do_not_all_run_at_once(harness: CrashHarness) -> None:
    documents = harness.submit("sleeping", ("sleeping", "later"), count=6, seconds=0.5)
    killed = harness.start(*WORKER)
    wait_until(lambda: len(harness.effects) >= len(documents), "all stages to run")
    killed.kill()
    killed.exit_code()
    harness.expire_leases()
    worker = harness.start(*WORKER)
    most = 0

    def all_ended() -> bool:
        nonlocal most
        most = max(most, len(_processes_alone(worker.pid)))
        return all(harness.run_state(document.run_id) == "COMPLETED" for document in documents)

    wait_until(all_ended, "all documents to be completed")
    worker.retire()
    assert 0 < most <= MAX_ALONE
    _assert_untouched(harness, documents)


def _processes_alone(worker_pid: int) -> list[psutil.Process]:
    """The child processes that a worker started for jobs that run alone."""
    found: list[psutil.Process] = []
    for child in psutil.Process(worker_pid).children():
        with contextlib.suppress(psutil.NoSuchProcess):
            if (
                child.status() != psutil.STATUS_ZOMBIE
                and "towpath.worker.child_process_main" in child.cmdline()
            ):
                found.append(child)
    return found


def test_a_document_whose_child_process_is_killed_again_and_again_is_never_quarantined(
    harness: CrashHarness,
) -> None:
    (submitted,) = harness.submit("child_process", seconds=1.0)
    worker = harness.start(*WORKER)
    for _ in range(4):
        started = len(harness.effects)
        wait_until(lambda started=started: len(harness.effects) > started, "the stage to run")
        children = psutil.Process(worker.pid).children(recursive=True)
        for child in children:
            with contextlib.suppress(psutil.NoSuchProcess):
                if "towpath.worker.child_process_main" in child.cmdline():
                    child.kill()
    harness.wait_until_all_ended()
    worker.retire()
    _assert_untouched(harness, [submitted])
