"""Waiting limits of all tests, and the two functions that wait for a condition.

A limit only decides when a test gives up: a test that passes never waits for it. The values are therefore
chosen for a machine with ten times more work than cores. A slower machine multiplies all of them with
the environment variable ``TOWPATH_TEST_TIMEOUT_SCALE``. Promises about speed are tests marked ``timed``.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Awaitable, Callable
from typing import TypeVar

T = TypeVar("T")

SCALE = float(os.environ.get("TOWPATH_TEST_TIMEOUT_SCALE", "1"))

#: A process (server, worker, database, emulator) starts or ends.
PROCESS_SECONDS = 180.0 * SCALE
#: One HTTP request is answered.
REQUEST_SECONDS = 120.0 * SCALE
#: A condition becomes true: a document is processed, a job is claimed, a page shows a text.
WAIT_SECONDS = 300.0 * SCALE
#: A command line or a drill runs to its end.
COMMAND_SECONDS = 600.0 * SCALE

#: A lease that a worker keeps although its machine starves it. Tests end it with ``expire_leases``.
LONG_LEASE_SECONDS = 600.0 * SCALE


def wait_until(
    condition: Callable[[], T | None], description: str, seconds: float = WAIT_SECONDS, every: float = 0.02
) -> T:
    """Call ``condition`` until its result is true, and return that result."""
    deadline = time.monotonic() + seconds
    while not (result := condition()):
        if time.monotonic() > deadline:
            raise AssertionError(f"Waited {seconds:.0f} s without success for {description}.")
        time.sleep(every)
    return result


async def async_wait_until(
    condition: Callable[[], Awaitable[T | None]],
    description: str,
    seconds: float = WAIT_SECONDS,
    every: float = 0.01,
) -> T:
    """Await ``condition`` until its result is true, and return that result."""
    deadline = time.monotonic() + seconds
    while not (result := await condition()):
        if time.monotonic() > deadline:
            raise AssertionError(f"Waited {seconds:.0f} s without success for {description}.")
        await asyncio.sleep(every)
    return result
