"""Maintains the word index: indexes documents of earlier versions and merges segments.

A publication writes its own words. After an update of the program the documents of earlier versions are indexed
here, while the old index answers for them.
"""

from __future__ import annotations

import logging

from towpath.worker.indexer import Indexer

log = logging.getLogger(__name__)


class WordIndexer(Indexer):
    """Indexes words of earlier versions, and merges the segments of the index."""

    name = "words"

    async def index(self) -> None:
        indexed = 0
        while count := await self._ledger.index_words():
            indexed += count
            await self._merge()
        if indexed:
            log.info("indexed the words of %d documents of an earlier version", indexed)
        await self._merge()

    async def _merge(self) -> None:
        while await self._ledger.merge_words():
            pass
