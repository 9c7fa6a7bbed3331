"""Clients of one server that upload, search, reprocess and delete. The library keeps its size, so nothing may grow."""

from __future__ import annotations

import asyncio
import random
import time
from collections import deque
from dataclasses import dataclass, field

import httpx

CLIENTS = 4
#: Documents in the library; the oldest is deleted when there are more.
LIBRARY = 200
#: Share of the measured maximum.
LOAD = 0.7
_PERIOD = 0.3
_WORDS = [
    "".join(random.Random(number).choices("abcdefghijklmnopqrstuvwxyz", k=6)) for number in range(4_000)
]


@dataclass(slots=True)
class MixedWork:
    """The work so far; ``rate`` is the number of rounds per second, or None for as many as possible."""

    url: str
    seed: int = 1
    rate: float | None = None
    rounds: int = 0
    failed: int = 0
    #: Seconds of each search since the last sample.
    searches: list[float] = field(default_factory=list[float])
    #: Seconds from each upload until its document was processed, since the last sample.
    documents: list[float] = field(default_factory=list[float])
    _ids: deque[str] = field(default_factory=deque[str])

    async def run(self, seconds: float) -> None:
        end = time.monotonic() + seconds
        async with httpx.AsyncClient(base_url=self.url, timeout=120) as http, asyncio.TaskGroup() as clients:
            for number in range(CLIENTS):
                clients.create_task(self._client(http, end, random.Random(self.seed * CLIENTS + number)))

    async def _client(self, http: httpx.AsyncClient, end: float, rng: random.Random) -> None:
        while (started := time.monotonic()) < end:
            try:
                await self._round(http, rng)
            except httpx.HTTPError:
                self.failed += 1
            self.rounds += 1
            if self.rate is not None:
                await asyncio.sleep(max(0.0, started + CLIENTS / self.rate - time.monotonic()))

    async def _round(self, http: httpx.AsyncClient, rng: random.Random) -> None:
        started = time.monotonic()
        answer = await http.post("/documents", files={"file": ("note.txt", _note(rng))})
        answer.raise_for_status()
        document_id = answer.json()["id"]
        await self._wait(http, document_id)
        self.documents.append(time.monotonic() - started)
        self._ids.append(document_id)
        started = time.monotonic()
        (await http.get("/search", params={"q": " ".join(rng.sample(_WORDS, 3))})).raise_for_status()
        self.searches.append(time.monotonic() - started)
        if rng.random() < 0.1:
            again = rng.choice(self._ids)
            answer = await http.post(f"/documents/{again}/runs", json={})
            if answer.status_code != 404:
                answer.raise_for_status()
                await self._wait(http, again)
        if len(self._ids) > LIBRARY:
            answer = await http.delete(f"/documents/{self._ids.popleft()}")
            answer.raise_for_status()

    async def _wait(self, http: httpx.AsyncClient, document_id: str) -> None:
        while True:
            statuses = (
                (await http.get("/documents/status", params={"ids": document_id})).raise_for_status().json()
            )
            if not statuses or statuses[0]["status"] != "PROCESSING":
                # Another client may have deleted a document that is processed again.
                self.failed += bool(statuses) and statuses[0]["status"] != "COMPLETED"
                return
            await asyncio.sleep(_PERIOD)


def _note(rng: random.Random) -> bytes:
    """About 350 words in sentences."""
    return ". ".join(" ".join(rng.choices(_WORDS, k=12)).capitalize() for _ in range(29)).encode()
