"""Runs an index task in a loop: at the start, after this worker has published, and once a minute.

Publications of the same half second are indexed together.

Any number of workers may index at once. After a crash the next one continues: what is left to do is in the database.
"""

from __future__ import annotations

import abc
import asyncio
import logging
import random

from towpath.errors import DatabaseUnavailable
from towpath.ledger.contract.ledger import Ledger

log = logging.getLogger(__name__)

#: Mean seconds between two looks when nothing was published here.
IDLE_SECONDS = 60.0
#: Shortest pause between two looks: with many small documents, one look for each would cost more than its work.
PAUSE_SECONDS = 0.5


class Indexer(abc.ABC):
    """Brings one index up to date in the background, in small transactions."""

    name: str
    """What is indexed, for the log."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._published = asyncio.Event()

    def wake(self) -> None:
        """Look for work now."""
        self._published.set()

    async def run(self) -> None:
        """Index until cancelled."""
        while True:
            try:
                await self.index()
            except DatabaseUnavailable as error:
                log.warning("indexing %s: the database is unavailable, retrying later: %s", self.name, error)
            except Exception:
                log.exception("indexing %s failed", self.name)
            await asyncio.sleep(PAUSE_SECONDS)
            try:
                async with asyncio.timeout(IDLE_SECONDS * random.uniform(0.5, 1.5)):
                    await self._published.wait()
            except TimeoutError:
                continue
            self._published.clear()

    @abc.abstractmethod
    async def index(self) -> None:
        """Index until nothing is left."""
