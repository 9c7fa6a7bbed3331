"""Handles SIGTERM, SIGINT and SIGHUP for every command that runs a worker or the API.

The first signal starts an orderly shutdown: no more claims, no more provider calls, the running stages get
`shutdown_grace_seconds`, and what is left is released. The second signal ends the grace period. Service managers and
container engines send SIGTERM, terminals SIGINT, so all of them take this path.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import signal
import threading
from collections.abc import Callable, Generator
from types import FrameType

log = logging.getLogger(__name__)

SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
#: Time in seconds to release jobs and to close connections after the grace period; then the process exits.
CLOSE_SECONDS = 10.0
#: The same after a second signal.
CLOSE_NOW_SECONDS = 2.0


class Shutdown:
    """A shutdown that a signal may request; the second request ends the grace period."""

    def __init__(self, grace_seconds: float) -> None:
        self._grace_seconds = grace_seconds
        self._loop = asyncio.get_running_loop()
        self._requested = asyncio.Event()
        self._signal_count = 0
        self._callbacks: list[Callable[[bool], None]] = []

    async def wait(self) -> None:
        """Wait for the first request."""
        await self._requested.wait()

    def add_callback(self, callback: Callable[[bool], None]) -> None:
        """Call ``callback(False)`` at the first request, even if it was earlier, and ``callback(True)`` at the second.

        True means: at once, without the grace period.
        """
        self._callbacks.append(callback)
        if self._requested.is_set():
            callback(self._signal_count > 1)

    def handle(self, number: int, _frame: FrameType | None = None) -> None:
        """The signal handler. It runs in the main thread at any point, so it only schedules the shutdown."""
        self._signal_count += 1
        # The exit must not depend on the event loop, which a hanging write or a full CPU may block.
        if self._signal_count == 1:
            _exit_later(self._grace_seconds + CLOSE_SECONDS)
        elif self._signal_count == 2:
            _exit_later(CLOSE_NOW_SECONDS)
        else:
            os._exit(1)
        self._loop.call_soon_threadsafe(self._request, number, self._signal_count > 1)

    def _request(self, number: int, now: bool) -> None:
        log.info("%s: %s", signal.Signals(number).name, "stopping now" if now else "stopping")
        self._requested.set()
        for callback in self._callbacks:
            callback(now)


@contextlib.contextmanager
def shutdown_signals(grace_seconds: float) -> Generator[Shutdown]:
    """Handle the signals inside the context. A signal that is ignored, as SIGHUP under `nohup`, stays ignored."""
    shutdown = Shutdown(grace_seconds)
    handled = [number for number in SIGNALS if signal.getsignal(number) is not signal.SIG_IGN]
    previous = {number: signal.signal(number, shutdown.handle) for number in handled}
    try:
        yield shutdown
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)


def _exit_later(seconds: float) -> None:
    """Exit after ``seconds`` if the process still runs; other workers then rescue what was not released."""
    timer = threading.Timer(seconds, _exit, args=(seconds,))
    timer.daemon = True
    timer.start()


def _exit(seconds: float) -> None:
    log.error("the shutdown took longer than %.0f s; jobs that were not released are rescued later", seconds)
    os._exit(1)
