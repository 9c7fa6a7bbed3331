"""An in-memory vector index with exact search. Each index is an immutable snapshot; newer ones share its arrays."""

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
#: Query vectors per matrix product. More would need more memory (13 MB for 200,000 rows) and save no time.
_QUERIES_PER_PRODUCT = 16


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

    def nearest_many(
        self, vectors: Vectors, depth: int, excluded_document: str | None = None
    ) -> list[list[RankedChunk]]:
        """The nearest chunks of each vector, one document excluded. Takes a third of the time of single queries."""
        chunk_rowids = self.chunk_rowids[: self.used]
        excluded_rows = chunk_rowids == _DELETED
        if excluded_document is not None and (code := self.document_codes.get(excluded_document)) is not None:
            excluded_rows |= self.documents[: self.used] == code
        results: list[list[RankedChunk]] = []
        for start in range(0, len(vectors), _QUERIES_PER_PRODUCT):
            scores = vectors[start : start + _QUERIES_PER_PRODUCT] @ self.vectors[: self.used].T
            scores[:, excluded_rows] = -np.inf
            results += [top_scores(chunk_rowids, row, depth) for row in scores]
        return results


def top_scores(chunk_rowids: RowIds, scores: Vectors, depth: int) -> list[RankedChunk]:
    """The ``depth`` highest scores, best first; ties are broken by row id."""
    if depth < len(scores):
        # Keep all rows that reach the lowest score, so that ties at the cut are broken by row id.
        threshold = scores[np.argpartition(scores, -depth)[-depth:]].min()
        rows = np.flatnonzero(scores >= threshold)
    else:
        rows = np.arange(len(scores))
    rows = rows[np.isfinite(scores[rows])]
    order = rows[np.lexsort((chunk_rowids[rows], -scores[rows]))][:depth]
    return [RankedChunk(int(chunk_rowids[row]), float(scores[row])) for row in order]


def _dot(vectors: Vectors, vector: Vectors) -> Vectors:
    # Not `@`: BLAS uses all cores, whose threads then spin. The product is bound by memory, so one core is as
    # fast (10 ms for 100,000 rows of 384) and the other core can run the full-text search.
    return np.einsum("ij,j->i", vectors, vector)
