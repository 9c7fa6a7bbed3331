"""An emulator of a paid service for summaries that accepts an Idempotency-Key, in a thread of the test."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Generator
from contextlib import contextmanager

from aiohttp import web

from tests.support.emulators.base import Emulator
from tests.support.emulators.faults import Fault
from tests.support.timeouts import PROCESS_SECONDS

#: A word that is in no document, only in answers.
WORD = "heliograph"


class SummaryEmulator(Emulator):
    """Bills each request, or with an Idempotency-Key each key once."""

    name = "summaries"

    def __init__(self) -> None:
        super().__init__()
        self.answers: dict[str, str] = {}

    @property
    def endpoint(self) -> str:
        return f"{self.url}/summaries"

    def routes(self) -> list[web.RouteDef]:
        return [web.post("/summaries", self._summarize, name="summaries")]

    def authorized(self, request: web.Request) -> bool:
        return True

    def error(self, status: int, fault: Fault | None = None) -> web.Response:
        return web.Response(status=status)

    async def _summarize(self, request: web.Request) -> web.Response:
        text = await request.text()
        key = request.headers.get("Idempotency-Key", "")
        if key and key in self.answers:
            return web.Response(text=self.answers[key])
        self.bill.charge(text.encode())
        words = " ".join(text.replace("#", "").split()[:4])
        answer = f"The {WORD} of {words}."
        if key:
            self.answers[key] = answer
        return web.Response(text=answer)


@contextmanager
def running_summaries() -> Generator[SummaryEmulator]:
    """The emulator in a thread with its own event loop."""
    emulator = SummaryEmulator()
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    asyncio.run_coroutine_threadsafe(emulator.start(), loop).result(PROCESS_SECONDS)
    try:
        yield emulator
    finally:
        asyncio.run_coroutine_threadsafe(emulator.stop(), loop).result(PROCESS_SECONDS)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(PROCESS_SECONDS)
