"""Counters that worker processes share with the parent in a memory-mapped file.

A no-op job takes microseconds in the fastest libraries, so reporting it must not need a system call.
"""

from __future__ import annotations

import mmap
import os
import sys
import threading
import time
from pathlib import Path

SLOTS = 8
SAMPLES = 4_096
_WORD = 8
_SIZE = _WORD * (2 * SLOTS + SAMPLES)

READY = "ready"
START = "start"


class WorkerCounters:
    """Per worker: number of started jobs and time of the first; per sample: start time of its job.

    Times are CLOCK_MONOTONIC seconds, which all processes of one machine share.
    """

    def __init__(self, path: Path, slot: int = 0) -> None:
        if not path.exists():
            path.write_bytes(bytes(_SIZE))
        with path.open("r+b") as file:
            self._memory = memoryview(mmap.mmap(file.fileno(), _SIZE))
        times = self._memory[_WORD * SLOTS :].cast("d")
        self._counts = self._memory[: _WORD * SLOTS].cast("q")
        self._firsts = times[:SLOTS]
        self._samples = times[SLOTS:]
        self._slot = slot
        self._lock = threading.Lock()  # a library may run jobs in several threads of one worker
        self.path = path

    def wait_for_start(self) -> None:
        """In a worker: report that it is ready, then wait until the parent starts all workers together."""
        print(READY, flush=True)
        if sys.stdin.readline().strip() != START:
            raise SystemExit(0)
        os.dup2(2, 1)  # the pipe is not read any more; a library that prints would fill it and block

    def began(self, index: int) -> None:
        """In a worker: record the start of a job."""
        now = time.monotonic()
        with self._lock:
            self._counts[self._slot] += 1
            if not self._firsts[self._slot]:
                self._firsts[self._slot] = now
            if not self._samples[index % SAMPLES]:
                self._samples[index % SAMPLES] = now

    def jobs_begun(self) -> int:
        return sum(self._counts)

    def first_begun(self, slot: int) -> float | None:
        """Start time of the first job of the worker in `slot`."""
        return self._firsts[slot] or None

    def earliest(self) -> float | None:
        """Start time of the earliest job of all workers."""
        return min((started_at for started_at in self._firsts if started_at), default=None)

    def sample_begun(self, index: int) -> float | None:
        return self._samples[index] or None
