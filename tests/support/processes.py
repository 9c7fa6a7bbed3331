"""Worker processes for tests: start, kill, stop (SIGSTOP) and continue them.

Workers are forked from a fork server that has imported everything: 40 ms each instead of a second.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Sequence
from dataclasses import dataclass
from multiprocessing.context import ForkServerProcess
from pathlib import Path

import psutil

from tests.support import worker_main
from tests.support.fork_server import fork_server
from tests.support.timeouts import PROCESS_SECONDS, wait_until


@dataclass(frozen=True, slots=True)
class WorkerProcess:
    """A worker process and its log file."""

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

    def logged(self, text: str) -> bool:
        return text in self.log.read_text("utf-8", "replace")

    def kill(self) -> None:
        """Send SIGKILL and wait until the process has ended."""
        self.process.kill()
        self.process.join(PROCESS_SECONDS)

    def terminate(self) -> None:
        """Send SIGTERM, as a deploy does."""
        self.process.terminate()

    def freeze(self) -> None:
        os.kill(self.pid, signal.SIGSTOP)
        wait_until(lambda: self.frozen, f"worker {self.pid} to be stopped")

    def wake(self) -> None:
        os.kill(self.pid, signal.SIGCONT)

    def exit_code(self, seconds: float = PROCESS_SECONDS) -> int:
        """Wait until the process has ended; return its exit code, negative for a signal."""
        self.process.join(seconds)
        code = self.process.exitcode
        if code is None:
            raise AssertionError(
                f"Worker {self.pid} did not end in {seconds:.0f} s. Its log:\n{self._tail()}"
            )
        return code

    def retire(self) -> None:
        """Send SIGTERM and assert exit code 0."""
        self.terminate()
        code = self.exit_code()
        assert code == 0, f"Worker {self.pid} ended with {code}. Its log:\n{self._tail()}"

    def _tail(self) -> str:
        return self.log.read_text("utf-8", "replace")[-3000:]


def start_worker(arguments: Sequence[str], log: Path) -> WorkerProcess:
    """Start a worker; ``arguments`` are those of ``tests.support.worker_main``."""
    log.touch()
    all_arguments = [*arguments, "--log", str(log)]
    process = fork_server.Process(target=worker_main.main, args=(all_arguments,), daemon=True)
    process.start()
    return WorkerProcess(process, log)
