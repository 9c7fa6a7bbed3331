"""The notifier for one process: wakes the workers that run in the same process."""

from __future__ import annotations

import asyncio


class InProcessNotifier:
    """Wakes the worker of this process. Jobs queued by other processes are found by polling."""

    is_listening = False

    def __init__(self) -> None:
        self._notified = asyncio.Event()
        self._loop: asyncio.AbstractEventLoop | None = None

    def notify(self) -> None:
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._notified.set)

    def should_notify_in_transaction(self) -> bool:
        return False

    async def wait(self, seconds: float) -> bool:
        try:
            async with asyncio.timeout(seconds):
                await self._notified.wait()
        except TimeoutError:
            return False
        self._notified.clear()
        return True

    async def open(self) -> None:
        self._loop = asyncio.get_running_loop()

    async def close(self) -> None:
        self._loop = None
