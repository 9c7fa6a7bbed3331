"""Caches one vector index per organization and model, and updates it before every search."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice

import numpy as np
from sqlalchemy import Select, TextClause, func, select, text, type_coerce
from sqlalchemy.types import LargeBinary

from towpath.ledger.database import Transaction
from towpath.ledger.tables import chunks
from towpath.providers.contract import Vectors
from towpath.search.contract import EmbeddingSpace, RankedChunk
from towpath.search.sqlite.vector_index import VectorIndex, VectorRow, top_scores

Key = tuple[str, EmbeddingSpace]

_BATCH = 2_000
# Two subqueries: SQLite reads only one end of the index if asked for min or max alone.
_CHANGE_RANGE = text(
    "select coalesce((select min(id) from search_changes), 0), "
    "coalesce((select max(id) from search_changes), 0)"
)
_CHANGED_CHUNKS = text("select distinct number from search_changes where id > :seen")


@dataclass(slots=True)
class _CacheEntry:
    """A vector index and the id of the last change that it contains."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    index: VectorIndex | None = None
    last_change: int = 0


class VectorIndexCache:
    """Bounded in bytes with LRU eviction. An index that alone exceeds the bound is searched on disk each time."""

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._lock = threading.Lock()
        self._entries: OrderedDict[Key, _CacheEntry] = OrderedDict()

    def nearest(
        self,
        tx: Transaction,
        org_id: str,
        space: EmbeddingSpace,
        vector: Vectors,
        depth: int,
        documents: set[str] | None,
    ) -> list[RankedChunk]:
        index = self._refresh(tx, org_id, space)
        if index is None:
            return _nearest_on_disk(tx, org_id, space, vector, depth, documents)
        return index.nearest(vector, depth, documents)

    def similarities(
        self,
        tx: Transaction,
        org_id: str,
        space: EmbeddingSpace,
        vector: Vectors,
        chunk_rowids: Sequence[int],
    ) -> dict[int, float]:
        """The cosines of these chunks; those without a vector of the space are left out."""
        return self._subset(tx, org_id, space, chunk_rowids).similarities(vector, chunk_rowids)

    def vectors(
        self, tx: Transaction, org_id: str, space: EmbeddingSpace, chunk_rowids: Sequence[int]
    ) -> dict[int, Vectors]:
        """The vectors of these chunks; those without a vector of the space are left out."""
        return self._subset(tx, org_id, space, chunk_rowids).vectors_of(chunk_rowids)

    def _subset(
        self, tx: Transaction, org_id: str, space: EmbeddingSpace, chunk_rowids: Sequence[int]
    ) -> VectorIndex:
        """An index that has these chunks: the one in memory, or one of these chunks only."""
        index = self._refresh(tx, org_id, space)
        if index is None:
            index = VectorIndex.empty(space.dimension, len(chunk_rowids))
            for rows in _read_batches(tx, org_id, space, list(chunk_rowids)):
                index = index.add(rows)
        return index

    def nearest_many(
        self,
        tx: Transaction,
        org_id: str,
        space: EmbeddingSpace,
        vectors: Vectors,
        depth: int,
        *,
        excluded_document: str | None,
    ) -> list[list[RankedChunk]]:
        """The nearest chunks of each vector, among all documents but one."""
        index = self._refresh(tx, org_id, space)
        if index is not None:
            return index.nearest_many(vectors, depth, excluded_document)
        best_so_far: list[list[RankedChunk]] = [[] for _ in vectors]
        for rows in _read_batches(tx, org_id, space):
            batch_index = VectorIndex.empty(space.dimension, len(rows)).add(rows)
            batch_results = batch_index.nearest_many(vectors, depth, excluded_document)
            best_so_far = [
                _top(so_far + more, depth) for so_far, more in zip(best_so_far, batch_results, strict=True)
            ]
        return best_so_far

    def _refresh(self, tx: Transaction, org_id: str, space: EmbeddingSpace) -> VectorIndex | None:
        with self._lock:
            entry = self._entries.setdefault((org_id, space), _CacheEntry())
            self._entries.move_to_end((org_id, space))
        # One thread updates an index while the others wait: they would do the same work.
        with entry.lock:
            oldest, latest = _integers(tx, _CHANGE_RANGE)
            index, entry.index = (
                entry.index,
                None,
            )  # if the update fails, the next search reloads the index
            if index is None or entry.last_change + 1 < oldest:
                index = self._load(tx, org_id, space)
                entry.last_change = latest
            elif entry.last_change < latest:
                index = _apply_changes(tx, org_id, space, index, entry.last_change)
                entry.last_change = latest
            entry.index = index
        self._evict()
        return index

    def _load(self, tx: Transaction, org_id: str, space: EmbeddingSpace) -> VectorIndex | None:
        # Chunks of any model: an upper bound that SQLite reads from the index alone.
        (count,) = _integers(tx, select(func.count()).select_from(chunks).where(chunks.c.org_id == org_id))
        index = VectorIndex.empty(space.dimension, count + count // 8)
        if index.size_bytes > self._max_bytes:
            return None
        for rows in _read_batches(tx, org_id, space):
            index = index.add(rows)
        return index

    def _evict(self) -> None:
        with self._lock:
            sizes = {
                key: entry.index.size_bytes if entry.index else 0 for key, entry in self._entries.items()
            }
            total = sum(sizes.values())
            while total > self._max_bytes and len(self._entries) > 1:
                key, _ = self._entries.popitem(last=False)
                total -= sizes[key]


def _apply_changes(
    tx: Transaction, org_id: str, space: EmbeddingSpace, index: VectorIndex, last_change: int
) -> VectorIndex:
    """Removes every changed chunk from the index, then appends those that still exist."""
    changed = [int(row[0]) for row in tx.connection.execute(_CHANGED_CHUNKS, {"seen": last_change})]
    index = index.remove(changed)
    for start in range(0, len(changed), _BATCH):
        batch = changed[start : start + _BATCH]
        for rows in _read_batches(tx, org_id, space, batch):
            index = index.add(rows)
    return index


def _read_batches(
    tx: Transaction, org_id: str, space: EmbeddingSpace, chunk_rowids: list[int] | None = None
) -> Iterator[list[VectorRow]]:
    # As bytes: making an array for each of 100,000 rows would take longer than reading them.
    blob = type_coerce(chunks.c.vector, LargeBinary)
    query = select(chunks.c.number, chunks.c.org_id, chunks.c.document_id, blob).where(
        chunks.c.model == space.model, chunks.c.dimension == space.dimension, chunks.c.vector.is_not(None)
    )
    # Never both conditions: SQLite would scan the index of the organization (150 ms).
    query = query.where(
        chunks.c.org_id == org_id if chunk_rowids is None else chunks.c.number.in_(chunk_rowids),
    )
    result = iter(tx.connection.execute(query))
    while batch := list(islice(result, _BATCH)):
        yield [
            VectorRow(int(number), document, vector)
            for number, owner, document, vector in batch
            if owner == org_id
        ]


def _nearest_on_disk(
    tx: Transaction,
    org_id: str,
    space: EmbeddingSpace,
    vector: Vectors,
    depth: int,
    documents: set[str] | None,
) -> list[RankedChunk]:
    """Like `VectorIndex.nearest`, with one batch of vectors in memory at a time."""
    best_so_far: list[RankedChunk] = []
    for rows in _read_batches(tx, org_id, space):
        index = VectorIndex.empty(space.dimension, len(rows)).add(rows)
        best_so_far = _top(best_so_far + index.nearest(vector, depth, documents), depth)
    return best_so_far


def _top(ranked_chunks: list[RankedChunk], depth: int) -> list[RankedChunk]:
    chunk_rowids = np.array([ranked.chunk_rowid for ranked in ranked_chunks], np.int64)
    return top_scores(chunk_rowids, np.array([ranked.score for ranked in ranked_chunks], np.float32), depth)


def _integers(tx: Transaction, statement: TextClause | Select[int]) -> tuple[int, ...]:
    return tuple(int(number) for number in tx.connection.execute(statement).one())
