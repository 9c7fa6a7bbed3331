"""The search index on SQLite: words by BM25, vectors by an exact scan in memory."""

from __future__ import annotations

from collections.abc import Sequence

from towpath.ledger.database import Database, Transaction
from towpath.providers.contract import Vectors
from towpath.search.allowed_documents import allowed_ids
from towpath.search.chunk_rows import read_chunk_rows
from towpath.search.contract import ChunkRow, EmbeddingSpace, RankedChunk, Scope
from towpath.search.query_parser import ParsedQuery
from towpath.search.sqlite.vector_index_cache import VectorIndexCache
from towpath.search.words.bm25 import WordMatches
from towpath.search.words.index import WordIndex
from towpath.search.words.similar_chunks import TermStatistics

GIGABYTE = 1 << 30


class SqliteIndex:
    """``cache_bytes`` bounds the memory for vectors: 100,000 vectors of 384 dimensions need 154 MB."""

    def __init__(self, database: Database, *, cache_bytes: int = GIGABYTE) -> None:
        self.database = database
        self._vector_indexes = VectorIndexCache(cache_bytes)
        self._words = WordIndex()

    def by_words(self, tx: Transaction, scope: Scope, parsed: ParsedQuery, depth: int) -> WordMatches:
        return self._words.search(tx, scope, parsed, depth)

    def correct(self, tx: Transaction, org_id: str, words: Sequence[str]) -> dict[str, str]:
        return self._words.correct(tx, org_id, words)

    def complete(self, tx: Transaction, org_id: str, beginning: str, limit: int) -> list[str]:
        return self._words.complete(tx, org_id, beginning, limit)

    def chunks_by_terms(
        self,
        tx: Transaction,
        org_id: str,
        passages: Sequence[Sequence[str]],
        depth: int,
        excluded_document: str | None = None,
    ) -> list[list[RankedChunk]]:
        return self._words.chunks_by_terms(tx, org_id, passages, depth, excluded_document)

    def term_statistics(self, tx: Transaction, org_id: str, terms: Sequence[str]) -> TermStatistics:
        return self._words.term_statistics(tx, org_id, terms)

    def by_vector(
        self, tx: Transaction, scope: Scope, space: EmbeddingSpace, vector: Vectors, depth: int
    ) -> list[RankedChunk]:
        document_ids = allowed_ids(tx, scope)
        return self._vector_indexes.nearest(tx, scope.org_id, space, vector, depth, document_ids)

    def similarities(
        self,
        tx: Transaction,
        scope: Scope,
        space: EmbeddingSpace,
        vector: Vectors,
        chunk_rowids: Sequence[int],
    ) -> dict[int, float]:
        return self._vector_indexes.similarities(tx, scope.org_id, space, vector, chunk_rowids)

    def vectors(
        self, tx: Transaction, scope: Scope, space: EmbeddingSpace, chunk_rowids: Sequence[int]
    ) -> dict[int, Vectors]:
        return self._vector_indexes.vectors(tx, scope.org_id, space, chunk_rowids)

    def chunks_by_vector(
        self, tx: Transaction, scope: Scope, space: EmbeddingSpace, vector: Vectors, depth: int
    ) -> list[tuple[RankedChunk, ChunkRow]]:
        ranked_chunks = self.by_vector(tx, scope, space, vector, depth)
        rows = read_chunk_rows(tx, scope, [ranked.chunk_rowid for ranked in ranked_chunks])
        return [(ranked, rows[ranked.chunk_rowid]) for ranked in ranked_chunks if ranked.chunk_rowid in rows]

    def by_vectors(
        self, tx: Transaction, scope: Scope, space: EmbeddingSpace, vectors: Vectors, depth: int
    ) -> list[list[RankedChunk]]:
        excluded = scope.filters.excluded_document_ids
        return self._vector_indexes.nearest_many(
            tx, scope.org_id, space, vectors, depth, excluded_document=excluded[0] if excluded else None
        )
