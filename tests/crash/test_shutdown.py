"""SIGTERM, as every deploy sends it: what runs is finished or given back, and it costs nobody an attempt."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import psutil
import pytest

from tests.crash.arena import Arena
from tests.support.processes import WorkerProcess, wait_for
from towpath.ledger.contract import Submitted


def _working_on(
    arena: Arena, pipeline: str, *stages: str, grace: float, seconds: float = 0.0
) -> tuple[WorkerProcess, Submitted]:
    [submitted] = arena.submit(pipeline, stages, seconds=seconds)
    worker = arena.start("--grace", str(grace))
    wait_for(lambda: arena.effects, "the stage to begin")
    return worker, submitted


def _assert_unharmed(arena: Arena, submitted: Submitted, stage: str) -> None:
    job = arena.job(submitted.run_id, stage)
    assert (job.status, job.attempts, job.crashes) == ("PENDING", 0, 0)
    assert job.locked_by is None


def _assert_finished_by_the_next_worker(arena: Arena) -> None:
    successor = arena.start()
    arena.wait_until_all_ended()
    successor.retire()
    arena.assert_nothing_lost_and_nothing_twice()


def test_a_stage_that_ends_within_the_grace_is_finished(arena: Arena) -> None:
    worker, submitted = _working_on(arena, "napping", "napping", "later", grace=10, seconds=0.3)
    worker.terminate()
    assert worker.exit_code() == 0
    done = arena.job(submitted.run_id, "napping")
    assert (done.status, done.lease_epoch, done.attempts) == ("COMPLETED", 1, 0)
    _assert_unharmed(arena, submitted, "later")
    _assert_finished_by_the_next_worker(arena)


def test_a_stage_that_takes_longer_is_given_back_when_the_grace_is_over(arena: Arena) -> None:
    worker, submitted = _working_on(arena, "lingering", "lingering", "after", grace=0.5)
    asked_at = time.monotonic()
    worker.terminate()
    assert worker.exit_code() == 0
    assert 0.5 <= time.monotonic() - asked_at < 0.5 + 2.0
    _assert_unharmed(arena, submitted, "lingering")
    _assert_finished_by_the_next_worker(arena)


def test_asked_twice_it_gives_everything_back_at_once(arena: Arena) -> None:
    worker, submitted = _working_on(arena, "lingering", "lingering", "after", grace=60)
    asked_at = time.monotonic()
    worker.terminate()
    # The second signal must find the first one heard: pending signals of one kind are one.
    wait_for(lambda: _heard(worker.pid), "the first to be heard")
    worker.terminate()
    assert worker.exit_code() == 0
    assert time.monotonic() - asked_at < 5.0
    _assert_unharmed(arena, submitted, "lingering")
    _assert_finished_by_the_next_worker(arena)


def _heard(pid: int) -> bool:
    """Whether no SIGTERM waits to be delivered any more."""
    status = Path(f"/proc/{pid}/status").read_text()
    pending = next(line for line in status.splitlines() if line.startswith("ShdPnd"))
    return not int(pending.split()[1], 16) >> (signal.SIGTERM - 1) & 1


def test_an_idle_worker_leaves_at_once(arena: Arena) -> None:
    worker = arena.start()
    wait_for(lambda: worker.said("is here"), "the worker to be there")
    asked_at = time.monotonic()
    worker.terminate()
    assert worker.exit_code() == 0
    assert time.monotonic() - asked_at < 3.0


@pytest.mark.parametrize("wanted", [signal.SIGTERM, signal.SIGINT], ids=["SIGTERM", "SIGINT"])
def test_a_signal_to_the_whole_group_does_not_fail_what_a_child_process_works_on(
    sqlite: Arena, wanted: signal.Signals
) -> None:
    """Service managers and terminals signal every process of a group, children too."""
    worker, submitted = _working_on(sqlite, "delegating", grace=0.3, seconds=30)
    wait_for(lambda: any(deed.what == "child" for deed in sqlite.effects), "the child to be at work")
    [child] = psutil.Process(worker.pid).children()
    for process in (child.pid, worker.pid):
        os.kill(process, wanted)
    assert worker.exit_code() == 0
    _assert_unharmed(sqlite, submitted, "delegating")
    assert not child.is_running()
