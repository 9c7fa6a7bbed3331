"""Starts worker processes of one library, releases them together, and ends them by pid."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import IO

from bench.libraries.contract import QueueLibrary
from bench.libraries.counters import READY, START, WorkerCounters

REPOSITORY = Path(__file__).parents[2]
POLL_SECONDS = 0.002


class Workers:
    """Worker processes with their counters; leaving the context kills those still running."""

    def __init__(self, library: QueueLibrary, dsn: str) -> None:
        self._library = library
        self._dsn = dsn
        self._folder = tempfile.TemporaryDirectory(prefix="towpath-bench-workers-")
        self._processes: list[subprocess.Popen[str]] = []
        self._errors: list[IO[str]] = []
        self.counters = WorkerCounters(Path(self._folder.name) / "scoreboard")

    def __enter__(self) -> Workers:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ):
        for slot in range(len(self._processes)):
            self.kill(slot)
        self._folder.cleanup()

    def start(self, count: int) -> None:
        """Start `count` more workers and release them at once when all are prepared."""
        started = [self._spawn() for _ in range(count)]
        for process in started:
            assert process.stdout is not None
            if process.stdout.readline().strip() != READY:
                raise RuntimeError(self._exit_report(self._processes.index(process)))
        for process in started:
            assert process.stdin is not None
            process.stdin.write(f"{START}\n")
            process.stdin.flush()

    def kill(self, slot: int) -> None:
        """Send SIGKILL, which is the same as a crash."""
        self._processes[slot].kill()
        self._processes[slot].wait()

    def wait_until(self, condition: Callable[[], bool], seconds: float) -> bool:
        """Wait for a condition of the counters; return False after `seconds`. Raise if a worker ends."""
        running = [slot for slot, process in enumerate(self._processes) if process.poll() is None]
        deadline = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > deadline:
                return False
            for slot in running:
                if self._processes[slot].poll() is not None:
                    raise RuntimeError(self._exit_report(slot))
            time.sleep(POLL_SECONDS)
        return True

    def _spawn(self) -> subprocess.Popen[str]:
        slot = len(self._processes)
        errors = (Path(self._folder.name) / f"worker-{slot}.log").open("w+")
        command = [sys.executable, "-m", "bench.libraries.worker", self._library.key, self._dsn]
        process = subprocess.Popen(
            [*command, str(self.counters.path), str(slot)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            cwd=REPOSITORY,
        )
        self._processes.append(process)
        self._errors.append(errors)
        return process

    def _exit_report(self, slot: int) -> str:
        self._errors[slot].seek(0)
        return f"worker {slot} of {self._library.key} exited:\n{self._errors[slot].read()[-4000:]}"
