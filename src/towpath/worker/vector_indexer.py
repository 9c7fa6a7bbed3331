"""Puts published vectors into the search index in small transactions, after their publication.

Only large publications leave that to the indexer (see `ledger/verbs/replace_chunks.py`).
"""

from __future__ import annotations

from towpath.worker.indexer import Indexer

#: Vectors per transaction: about 1.2 s at 50 ms per vector, measured on a busy machine (load 28 on 2 cores).
BATCH = 25


class VectorIndexer(Indexer):
    """Indexes the vectors of large publications."""

    name = "vectors"

    async def index(self) -> None:
        while await self._ledger.index_vectors(BATCH):
            pass
