"""What worker processes tell the parent, through one shared memory-mapped file.

A no-op job costs microseconds in the fastest contestants, so reporting it may cost no system call.
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


class Scoreboard:
    """Per worker: jobs begun and the moment of its first; per sample: the moment its job began.

    Moments are CLOCK_MONOTONIC seconds, which all processes of one machine share.
    """

    def __init__(self, path: Path, slot: int = 0) -> None:
        if not path.exists():
            path.write_bytes(bytes(_SIZE))
        with path.open("r+b") as file:
            self._memory = memoryview(mmap.mmap(file.fileno(), _SIZE))
        moments = self._memory[_WORD * SLOTS :].cast("d")
        self._counts = self._memory[: _WORD * SLOTS].cast("q")
        self._firsts = moments[:SLOTS]
        self._samples = moments[SLOTS:]
        self._slot = slot
        self._lock = threading.Lock()  # a library may run jobs in several threads of one worker
        self.path = path

    def wait_for_start(self) -> None:
        """In a worker: say that all is prepared, then wait until the parent starts all workers at once."""
        print(READY, flush=True)
        if sys.stdin.readline().strip() != START:
            raise SystemExit(0)
        os.dup2(2, 1)  # nobody reads this pipe any more; a talkative library must not fill it and block

    def began(self, index: int) -> None:
        """In a worker: a job has begun."""
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
        """When the worker in `slot` began its first job."""
        return self._firsts[slot] or None

    def earliest(self) -> float | None:
        """When the first job of all began."""
        return min((moment for moment in self._firsts if moment), default=None)

    def sample_begun(self, index: int) -> float | None:
        return self._samples[index] or None
