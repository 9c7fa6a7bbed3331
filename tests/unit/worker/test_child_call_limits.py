"""The time limit of a child process: time in which it got no CPU does not count."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from tests.support.timeouts import wait_until
from towpath.os_resources import cpu_wait_seconds_of
from towpath.process_runner import ChildTimeout
from towpath.worker import child_call_limits
from towpath.worker.child_call_limits import CallLimits

LIMIT = 120.0


class Machine:
    """The clock and the figures of a child process, moved by hand."""

    def __init__(self) -> None:
        self.now = 0.0
        self.waited = 0.0

    def pass_time(self, seconds: float, *, without_cpu: float = 0.0) -> None:
        self.now += seconds
        self.waited += without_cpu


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> Iterator[Machine]:
    machine = Machine()

    def waited(pid: int) -> float:
        return machine.waited

    with monkeypatch.context() as patch:
        patch.setattr(child_call_limits.time, "monotonic", lambda: machine.now)
        patch.setattr(child_call_limits, "cpu_wait_seconds_of", waited)
        yield machine


def _watch() -> CallLimits:
    return CallLimits(os.getpid(), LIMIT, None, sys.maxsize)


def test_a_process_that_got_no_cpu_is_not_late(machine: Machine) -> None:
    watch = _watch()
    for _ in range(10):
        machine.pass_time(LIMIT, without_cpu=LIMIT)
        assert watch.exceeded(arrived=False) is None
    machine.pass_time(LIMIT)
    assert isinstance(watch.exceeded(arrived=False), ChildTimeout)


def test_a_process_that_hangs_is_late_although_it_waited_before(machine: Machine) -> None:
    machine.pass_time(50.0, without_cpu=50.0)
    watch = _watch()
    machine.pass_time(LIMIT)
    assert isinstance(watch.exceeded(arrived=False), ChildTimeout)


def test_a_loop_that_gets_half_a_cpu_ends_after_twice_its_limit(machine: Machine) -> None:
    watch, steps = _watch(), 0
    while watch.exceeded(arrived=False) is None:
        machine.pass_time(1.0, without_cpu=0.5)
        steps += 1
    assert 2 * LIMIT - 2 <= steps <= 2 * LIMIT + 2


def test_a_message_starts_the_limit_again(machine: Machine) -> None:
    watch = _watch()
    machine.pass_time(LIMIT, without_cpu=100.0)
    watch.restart()
    machine.pass_time(LIMIT)
    assert isinstance(watch.exceeded(arrived=False), ChildTimeout)


@pytest.mark.slow
def test_the_system_says_how_long_a_process_waited_for_a_cpu() -> None:
    """Two loops share one CPU, so each of them waits for the other."""
    (cpu, *_) = os.sched_getaffinity(0)
    loop = f"import os; os.sched_setaffinity(0, [{cpu}])\nwhile True: pass"
    with ExitStack() as stack:
        loops = [stack.enter_context(subprocess.Popen([sys.executable, "-c", loop])) for _ in range(2)]
        for process in loops:
            stack.callback(process.kill)
        for process in loops:
            wait_until(
                lambda pid=process.pid: cpu_wait_seconds_of(pid) > 0.2, "the process to wait for a CPU"
            )
