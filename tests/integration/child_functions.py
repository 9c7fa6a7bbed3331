"""Functions that tests run in child processes: normal results, crashes, endless loops, excessive memory."""

from __future__ import annotations

import ctypes
import itertools
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

from towpath.errors import Rejected


def niceness() -> int:
    return os.nice(0)


def process_id() -> int:
    return os.getpid()


def add(left: int, right: int) -> int:
    return left + right


def megabytes(count: int) -> bytes:
    return b"x" * (count << 20)


_leaked: list[bytes] = []


def leak(megabytes: int) -> None:
    _leaked.append(b"x" * (megabytes << 20))


def count_to(total: int, progress: Callable[[int, int], None]) -> int:
    for done in range(1, total + 1):
        progress(done, total)
    return total


def segfault() -> None:
    ctypes.string_at(0)


def abort() -> None:
    """End as a native library does that gives up."""
    os.abort()


def loop_for_ever(note: Path | None = None) -> None:
    """Loop without ever returning to an event loop; write the pid to `note` first."""
    if note is not None:
        note.write_text(str(os.getpid()))
    for _ in itertools.repeat(None):
        pass


def loop_with_progress(progress: Callable[[int, int], None]) -> None:
    """Loop without end and report progress twice a second."""
    reported = time.monotonic()
    while True:
        if time.monotonic() - reported > 0.5:
            reported = time.monotonic()
            progress(1, 2)


def allocate_without_bound() -> int:
    blocks: list[bytearray] = []
    while True:
        blocks.append(bytearray(16 << 20))


_kept: list[bytes] = []


def keep_megabytes(count: int) -> int:
    """Allocate memory that stays allocated, as caches of libraries do; return the pid."""
    _kept.append(megabytes(count))
    # Long enough for a look at the memory of this process.
    time.sleep(0.5)
    return os.getpid()


def reject() -> None:
    raise Rejected("encrypted", "This file is locked with a password. Remove it and send the file again.")


class Unpicklable(Exception):
    """An error that cannot be unpickled from its message, as errors of many libraries."""

    def __init__(self, page: int, reason: str) -> None:
        super().__init__(f"page {page}: {reason}")


def raise_unpicklable() -> None:
    raise Unpicklable(7, "no such font")


def return_unpicklable() -> object:
    return lambda: None


def exit_process() -> None:
    sys.exit(3)
