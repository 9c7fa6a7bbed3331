"""The vector index of a library on SQLite: in memory, with exact search.

Each index is an immutable snapshot; newer ones share its arrays.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from towpath.providers.contract import Vectors
from towpath.search.contract import RankedChunk

RowIds = npt.NDArray[np.int64]
DocumentCodes = npt.NDArray[np.int32]

_DELETED = -1
#: Queries and rows of one matrix product. Their scores, 8 MB, stay in the cache of the processor, and the vectors are
#: read from memory once for 64 queries.
_QUERIES_PER_PRODUCT = 64
_ROWS_PER_PRODUCT = 32_768
#: Groups of rows whose maxima are compared first: enough that the best rows are seldom in one group.
_GROUPS = 512


@dataclass(frozen=True, slots=True)
class VectorRow:
    chunk_rowid: int
    document_id: str
    vector: bytes


@dataclass(frozen=True, slots=True)
class VectorIndex:
    """A snapshot: the first ``used`` rows are valid. Later snapshots append behind them in the same arrays."""

    vectors: Vectors
    chunk_rowids: RowIds
    documents: DocumentCodes
    used: int
    deleted: int
    #: Row of each chunk, and integer code of each document. Shared with, and updated by, the next snapshot.
    row_by_chunk: dict[int, int]
    document_codes: dict[str, int]

    @classmethod
    def empty(cls, dimension: int, capacity: int) -> VectorIndex:
        return cls(
            np.empty((capacity, dimension), np.float32),
            np.empty(capacity, np.int64),
            np.empty(capacity, np.int32),
            0,
            0,
            {},
            {},
        )

    @property
    def size_bytes(self) -> int:
        return self.vectors.nbytes + self.chunk_rowids.nbytes + self.documents.nbytes

    def add(self, rows: Sequence[VectorRow]) -> VectorIndex:
        """The next snapshot with these rows appended. Rows that they replace must have been removed before."""
        if not rows:
            return self
        index = self if self.used + len(rows) <= len(self.chunk_rowids) else self._compacted(len(rows))
        new_rows = slice(index.used, index.used + len(rows))
        joined = np.frombuffer(b"".join(row.vector for row in rows), "<f4")
        index.vectors[new_rows] = joined.reshape(len(rows), -1)
        index.chunk_rowids[new_rows] = [row.chunk_rowid for row in rows]
        index.documents[new_rows] = [
            index.document_codes.setdefault(row.document_id, len(index.document_codes)) for row in rows
        ]
        index.row_by_chunk.update(
            (row.chunk_rowid, new_rows.start + position) for position, row in enumerate(rows)
        )
        return replace(index, used=new_rows.stop)

    def remove(self, chunk_rowids: Collection[int]) -> VectorIndex:
        """The next snapshot without these chunks; compacted when a quarter of the rows is deleted."""
        rows = [
            place for number in chunk_rowids if (place := self.row_by_chunk.pop(number, None)) is not None
        ]
        if not rows:
            return self
        updated_rowids = self.chunk_rowids.copy()
        updated_rowids[rows] = _DELETED
        index = replace(self, chunk_rowids=updated_rowids, deleted=self.deleted + len(rows))
        return index._compacted(0) if index.deleted * 4 > index.used else index

    def _compacted(self, extra_rows: int) -> VectorIndex:
        """A copy without deleted rows, with capacity for 1.5 times the rows."""
        live_rows = np.flatnonzero(self.chunk_rowids[: self.used] != _DELETED)
        copy = VectorIndex.empty(self.vectors.shape[1], (len(live_rows) + extra_rows) * 3 // 2 + 64)
        copy.vectors[: len(live_rows)] = self.vectors[live_rows]
        copy.chunk_rowids[: len(live_rows)] = self.chunk_rowids[live_rows]
        copy.documents[: len(live_rows)] = self.documents[live_rows]
        row_by_chunk = {int(number): place for place, number in enumerate(self.chunk_rowids[live_rows])}
        return replace(
            copy, used=len(live_rows), row_by_chunk=row_by_chunk, document_codes=dict(self.document_codes)
        )

    def nearest(
        self, vector: Vectors, depth: int, documents: Collection[str] | None = None
    ) -> list[RankedChunk]:
        """The ``depth`` best by cosine (all vectors have unit length), optionally among ``documents`` only."""
        if documents is None:
            chunk_rowids = self.chunk_rowids[: self.used]
            scores = _dot(self.vectors[: self.used], vector)
        else:
            codes = [
                code for document in documents if (code := self.document_codes.get(document)) is not None
            ]
            rows = np.flatnonzero(np.isin(self.documents[: self.used], codes))
            chunk_rowids = self.chunk_rowids[rows]
            # Selecting rows copies them: above a quarter of the index it is faster to score all rows.
            is_selective = len(rows) * 4 < self.used
            scores = (
                _dot(self.vectors[rows], vector)
                if is_selective
                else _dot(self.vectors[: self.used], vector)[rows]
            )
        if self.deleted:
            scores[chunk_rowids == _DELETED] = -np.inf
        return top_scores(chunk_rowids, scores, depth)

    def similarities(self, vector: Vectors, chunk_rowids: Sequence[int]) -> dict[int, float]:
        """The cosines of these chunks, as far as they are in the index."""
        numbers, vectors = self._select(chunk_rowids)
        return dict(zip(numbers, _dot(vectors, vector).tolist(), strict=True)) if numbers else {}

    def vectors_of(self, chunk_rowids: Sequence[int]) -> dict[int, Vectors]:
        """The vectors of these chunks, as far as they are in the index."""
        return dict(zip(*self._select(chunk_rowids), strict=True))

    def _select(self, chunk_rowids: Sequence[int]) -> tuple[list[int], Vectors]:
        # A later snapshot may have added rows behind those of this one.
        rows = [
            (number, row)
            for number in chunk_rowids
            if (row := self.row_by_chunk.get(number)) is not None and row < self.used
        ]
        return [number for number, _ in rows], self.vectors[[row for _, row in rows]]

    def nearest_many(
        self, vectors: Vectors, depth: int, excluded_document: str | None = None
    ) -> list[list[RankedChunk]]:
        """The nearest chunks of each vector, one document excluded. Much faster than single queries."""
        excluded_rows = self.chunk_rowids[: self.used] == _DELETED
        if excluded_document is not None and (code := self.document_codes.get(excluded_document)) is not None:
            excluded_rows |= self.documents[: self.used] == code
        results: list[list[RankedChunk]] = []
        for start in range(0, len(vectors), _QUERIES_PER_PRODUCT):
            results += self._nearest_many(
                vectors[start : start + _QUERIES_PER_PRODUCT], depth, np.flatnonzero(excluded_rows)
            )
        return results

    def _nearest_many(
        self, vectors: Vectors, depth: int, excluded_rows: npt.NDArray[np.intp]
    ) -> list[list[RankedChunk]]:
        best = [_BestRows(depth) for _ in vectors]
        for first in range(0, self.used, _ROWS_PER_PRODUCT):
            last = min(first + _ROWS_PER_PRODUCT, self.used)
            scores = vectors @ self.vectors[first:last].T
            scores[:, excluded_rows[(excluded_rows >= first) & (excluded_rows < last)] - first] = -np.inf
            for rows, row_scores in zip(best, scores, strict=True):
                rows.add(first, row_scores)
        return [rows.ranked(self.chunk_rowids) for rows in best]


class _BestRows:
    """The rows with the highest scores so far, for one query."""

    def __init__(self, depth: int) -> None:
        self._depth = depth
        self._rows = np.zeros(0, np.intp)
        self._scores = np.zeros(0, np.float32)
        #: A row with a lower score is not among the best.
        self._floor = -np.inf

    def add(self, first: int, scores: Vectors) -> None:
        """Add the scores of successive rows."""
        rows = np.flatnonzero(scores >= max(self._floor, _kept_from(scores, self._depth)))
        self._rows = np.concatenate([self._rows, rows + first])
        self._scores = np.concatenate([self._scores, scores[rows]])
        self._floor = _kept_from(self._scores, self._depth)
        kept = self._scores >= self._floor
        self._rows, self._scores = self._rows[kept], self._scores[kept]

    def ranked(self, chunk_rowids: RowIds) -> list[RankedChunk]:
        return top_scores(chunk_rowids[self._rows], self._scores, self._depth)


def top_scores(chunk_rowids: RowIds, scores: Vectors, depth: int) -> list[RankedChunk]:
    """The ``depth`` highest scores, best first; ties are broken by row id."""
    if depth < len(scores):
        # Keep all rows that reach the lowest score, so that ties at the cut are broken by row id.
        rows = np.flatnonzero(scores >= np.partition(scores, -depth)[-depth])
    else:
        rows = np.arange(len(scores))
    rows = rows[np.isfinite(scores[rows])]
    order = rows[np.lexsort((chunk_rowids[rows], -scores[rows]))][:depth]
    return [RankedChunk(int(chunk_rowids[row]), float(scores[row])) for row in order]


def _kept_from(scores: Vectors, depth: int) -> float:
    """A score that at least ``depth`` of the rows reach, and not many more: the lowest if there are not so many."""
    if len(scores) <= depth:
        return -np.inf
    size = len(scores) // _GROUPS
    if size > 1 and depth <= _GROUPS:
        # The maxima of groups are fewer than the rows: the lowest of the best ones is reached by as many rows.
        scores = scores[: size * _GROUPS].reshape(_GROUPS, size).max(axis=1)
    return float(np.partition(scores, -depth)[-depth])


def _dot(vectors: Vectors, vector: Vectors) -> Vectors:
    # Not `@`: BLAS uses all cores, whose threads then spin. The product is bound by memory, so one core is as
    # fast (10 ms for 100,000 rows of 384) and the other core can run the full-text search.
    return np.einsum("ij,j->i", vectors, vector)
