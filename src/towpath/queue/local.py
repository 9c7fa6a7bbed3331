"""A bell inside one process."""

from __future__ import annotations

import asyncio


class LocalBell:
    """Wakes the worker of this process at once. Other processes' work is found by polling."""

    reliable = False

    def __init__(self) -> None:
        self._rung = asyncio.Event()
        self._loop: asyncio.AbstractEventLoop | None = None

    def ring(self) -> None:
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._rung.set)

    def rides(self) -> bool:
        return False

    async def wait(self, seconds: float) -> bool:
        try:
            await asyncio.wait_for(self._rung.wait(), seconds)
        except TimeoutError:
            return False
        self._rung.clear()
        return True

    async def open(self) -> None:
        self._loop = asyncio.get_running_loop()

    async def close(self) -> None:
        self._loop = None
