"""What child processes are asked to do in tests: useful things, and everything a parser may do wrong."""

from __future__ import annotations

import ctypes
import itertools
import os
import sys
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


def count_to(total: int, progress: Callable[[int, int], None]) -> int:
    for done in range(1, total + 1):
        progress(done, total)
    return total


def segfault() -> None:
    ctypes.string_at(0)


def loop_for_ever(note: Path | None = None) -> None:
    """Busy, and deaf: it never comes back to Python's own waiting."""
    if note is not None:
        note.write_text(str(os.getpid()))
    for _ in itertools.repeat(None):
        pass


def allocate_without_bound() -> int:
    hoard: list[bytearray] = []
    while True:
        hoard.append(bytearray(16 << 20))


def reject() -> None:
    raise Rejected("encrypted", "This file is locked with a password. Remove it and send the file again.")


class Unmovable(Exception):
    """An error that cannot be rebuilt from its words, as those of many libraries."""

    def __init__(self, page: int, reason: str) -> None:
        super().__init__(f"page {page}: {reason}")


def raise_unmovable() -> None:
    raise Unmovable(7, "no such font")


def answer_unmovable() -> object:
    return lambda: None


def leave() -> None:
    sys.exit(3)
