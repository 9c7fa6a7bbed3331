"""Puts published vectors into the search index in small transactions, after their publication.

Only large publications leave that to the indexer (see `ledger/verbs/replace_chunks.py`). Any number of workers may
index at once. After a crash, the next worker that looks finds what is left.
"""

from __future__ import annotations

import asyncio
import logging
import random

from towpath.errors import DatabaseUnavailable
from towpath.ledger.contract.ledger import Ledger

log = logging.getLogger(__name__)

#: Vectors per transaction: about 1.2 s at 50 ms per vector, measured on a busy machine (load 28 on 2 cores).
BATCH = 25
#: Mean seconds between two looks when nothing was published here.
IDLE_SECONDS = 60.0


class VectorIndexer:
    """Indexes vectors when this worker has published, and once a minute for workers that died."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._published = asyncio.Event()

    def wake(self) -> None:
        """Look for vectors now."""
        self._published.set()

    async def run(self) -> None:
        """Index until cancelled."""
        while True:
            try:
                while await self._ledger.index_vectors(BATCH):
                    pass
            except DatabaseUnavailable as error:
                log.warning("vector index: the database is unavailable, retrying later: %s", error)
            except Exception:
                log.exception("indexing vectors failed")
            try:
                await asyncio.wait_for(self._published.wait(), IDLE_SECONDS * random.uniform(0.5, 1.5))
            except TimeoutError:
                continue
            self._published.clear()
