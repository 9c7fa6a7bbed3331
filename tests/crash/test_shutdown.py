"""SIGTERM: running stages are finished or released, and no job loses an attempt."""

from __future__ import annotations

import os
import signal
import time

import psutil
import pytest

from tests.crash.crash_harness import CrashHarness
from tests.support.processes import WorkerProcess
from tests.support.timeouts import WAIT_SECONDS, wait_until
from towpath.ledger.contract.ledger import Submitted

#: A grace period longer than any test waits, in seconds.
GRACE = WAIT_SECONDS


def _working_on(
    harness: CrashHarness, pipeline: str, *stages: str, grace: float, seconds: float = 0.0
) -> tuple[WorkerProcess, Submitted]:
    [submitted] = harness.submit(pipeline, stages, seconds=seconds)
    worker = harness.start("--grace", str(grace))
    wait_until(lambda: harness.effects, "the stage to begin")
    return worker, submitted


def _assert_released(harness: CrashHarness, submitted: Submitted, stage: str) -> None:
    job = harness.job(submitted.run_id, stage)
    assert (job.status, job.attempts, job.crashes) == ("PENDING", 0, 0)
    assert job.locked_by is None


def _assert_finished_by_the_next_worker(harness: CrashHarness) -> None:
    successor = harness.start()
    harness.wait_until_all_ended()
    successor.retire()
    harness.assert_nothing_lost_and_nothing_twice()


def test_a_stage_that_ends_within_the_grace_period_is_finished(harness: CrashHarness) -> None:
    worker, submitted = _working_on(harness, "sleeping", "sleeping", "later", grace=GRACE, seconds=0.3)
    worker.terminate()
    assert worker.exit_code() == 0
    done = harness.job(submitted.run_id, "sleeping")
    assert (done.status, done.lease_epoch, done.attempts) == ("COMPLETED", 1, 0)
    _assert_released(harness, submitted, "later")
    _assert_finished_by_the_next_worker(harness)


def test_a_stage_that_takes_longer_is_released_after_the_grace_period(harness: CrashHarness) -> None:
    worker, submitted = _working_on(harness, "waiting", "waiting", "after", grace=0.5)
    asked_at = time.monotonic()
    worker.terminate()
    assert worker.exit_code() == 0
    assert time.monotonic() - asked_at >= 0.5
    _assert_released(harness, submitted, "waiting")
    _assert_finished_by_the_next_worker(harness)


def test_a_second_sigterm_releases_all_jobs_at_once(harness: CrashHarness) -> None:
    worker, submitted = _working_on(harness, "waiting", "waiting", "after", grace=GRACE)
    asked_at = time.monotonic()
    worker.terminate()
    # Python merges two signals of one kind until it has called the handler of the first.
    wait_until(lambda: worker.logged("SIGTERM: stopping"), "the worker to handle the first signal")
    worker.terminate()
    assert worker.exit_code() == 0
    assert time.monotonic() - asked_at < GRACE, "the second signal ends the grace period"
    _assert_released(harness, submitted, "waiting")
    _assert_finished_by_the_next_worker(harness)


def test_an_idle_worker_ends_at_once(harness: CrashHarness) -> None:
    worker = harness.start("--grace", str(GRACE))
    wait_until(lambda: worker.logged("has started"), "the worker to start")
    asked_at = time.monotonic()
    worker.terminate()
    assert worker.exit_code() == 0
    assert time.monotonic() - asked_at < GRACE, "an idle worker does not wait for its grace period"


@pytest.mark.parametrize("stop_signal", [signal.SIGTERM, signal.SIGINT], ids=["SIGTERM", "SIGINT"])
def test_a_signal_to_the_whole_group_does_not_fail_what_a_child_process_works_on(
    sqlite: CrashHarness, stop_signal: signal.Signals
) -> None:
    """Service managers and terminals signal every process of a group, children too."""
    worker, submitted = _working_on(sqlite, "child_process", grace=0.3, seconds=30)
    wait_until(lambda: any(effect.what == "child" for effect in sqlite.effects), "the child process to run")
    [child] = psutil.Process(worker.pid).children()
    for process in (child.pid, worker.pid):
        os.kill(process, stop_signal)
    assert worker.exit_code() == 0
    _assert_released(sqlite, submitted, "child_process")
    assert not child.is_running()
