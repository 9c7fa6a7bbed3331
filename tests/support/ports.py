"""Ports for servers that a test starts: each process takes them from a block of its own.

A port that the system proposes (port 0) may be given to another process before the tested server listens on it. The
blocks are below the range from which the system proposes ports.
"""

from __future__ import annotations

import itertools
import os
import socket
from dataclasses import dataclass, field

FIRST_PORT, LAST_PORT, BLOCK = 11_000, 32_000, 300


@dataclass
class _Block:
    """Ports of one process. The listening socket on the first one keeps other processes out of the block."""

    guard: socket.socket
    pid: int = field(default_factory=os.getpid)

    def __post_init__(self) -> None:
        first = int(self.guard.getsockname()[1])
        self.ports = itertools.cycle(range(first + 1, first + BLOCK))


_blocks: list[_Block] = []


def free_port() -> int:
    """A port of 127.0.0.1 that no server uses, and that no other process of the tests is given."""
    if not _blocks or _blocks[-1].pid != os.getpid():
        _blocks.append(_take_block())
    for port in itertools.islice(_blocks[-1].ports, BLOCK):
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
    raise RuntimeError("Every port of this process is in use.")


def _take_block() -> _Block:
    for first in range(FIRST_PORT, LAST_PORT, BLOCK):
        guard = socket.socket()
        try:
            guard.bind(("127.0.0.1", first))
            guard.listen(1)
        except OSError:
            guard.close()
            continue
        return _Block(guard)
    raise RuntimeError(f"No block of ports is free between {FIRST_PORT} and {LAST_PORT}.")
