"""Real processes for tests: started, killed, stopped and woken; and facts waited for, with a deadline.

Workers are forked from a server that has imported everything once: 40 ms each instead of a second.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from multiprocessing.context import ForkServerProcess
from pathlib import Path
from typing import TypeVar

import psutil

from tests.support import worker_main

T = TypeVar("T")

#: Long enough for anything this machine should manage while others use it too.
PATIENCE = 30.0

_nursery = multiprocessing.get_context("forkserver")
# pytest itself is imported in every child that is started from it, so that is done once as well.
_nursery.set_forkserver_preload(["pytest", "tests.support.worker_main", "tests.crash.stages"])


@dataclass(frozen=True, slots=True)
class WorkerProcess:
    """A worker in a process of its own, and what it says."""

    process: ForkServerProcess
    log: Path

    @property
    def pid(self) -> int:
        assert self.process.pid is not None
        return self.process.pid

    @property
    def alive(self) -> bool:
        return self.process.is_alive()

    @property
    def frozen(self) -> bool:
        return psutil.Process(self.pid).status() == psutil.STATUS_STOPPED

    def said(self, words: str) -> bool:
        return words in self.log.read_text("utf-8", "replace")

    def kill(self) -> None:
        """As an OOM killer or a power switch would: nothing of it runs any more when this returns."""
        self.process.kill()
        self.process.join(PATIENCE)

    def terminate(self) -> None:
        """Ask politely, as a deploy does."""
        self.process.terminate()

    def freeze(self) -> None:
        os.kill(self.pid, signal.SIGSTOP)
        wait_for(lambda: self.frozen, f"worker {self.pid} to be stopped")

    def wake(self) -> None:
        os.kill(self.pid, signal.SIGCONT)

    def exit_code(self, seconds: float = PATIENCE) -> int:
        """Wait for the process to end; its exit code, negative for the signal that killed it."""
        self.process.join(seconds)
        code = self.process.exitcode
        if code is None:
            raise AssertionError(
                f"Worker {self.pid} did not end in {seconds:.0f} s. It said:\n{self._tail()}"
            )
        return code

    def retire(self) -> None:
        """Stop it politely and insist that it leaves in peace."""
        self.terminate()
        code = self.exit_code()
        assert code == 0, f"Worker {self.pid} ended with {code}. It said:\n{self._tail()}"

    def _tail(self) -> str:
        return self.log.read_text("utf-8", "replace")[-3000:]


def start_worker(arguments: Sequence[str], log: Path) -> WorkerProcess:
    """A running worker; ``arguments`` as on the command line of ``tests.support.worker_main``."""
    log.touch()
    given = [*arguments, "--log", str(log)]
    process = _nursery.Process(target=worker_main.main, args=(given,), daemon=True)
    process.start()
    return WorkerProcess(process, log)


def wait_for(fact: Callable[[], T | None], what: str, seconds: float = PATIENCE, every: float = 0.02) -> T:
    """Ask again and again until ``fact`` has an answer that is true; then give it."""
    deadline = time.monotonic() + seconds
    while True:
        answer = fact()
        if answer:
            return answer
        if time.monotonic() > deadline:
            raise AssertionError(f"Waited {seconds:.0f} s in vain for {what}.")
        time.sleep(every)
