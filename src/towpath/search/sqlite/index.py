"""The search index on SQLite: full text by FTS5, vectors by an exact scan in memory."""

from __future__ import annotations

from sqlalchemy import select

from towpath.ledger.database import Database, Transaction
from towpath.ledger.tables import documents
from towpath.providers.contract import Vectors
from towpath.search.chunk_rows import read_chunk_rows
from towpath.search.contract import ChunkRow, EmbeddingSpace, RankedChunk, Scope
from towpath.search.document_frequency_cache import DocumentFrequencyCache
from towpath.search.query_parser import ParsedQuery
from towpath.search.sqlite.fulltext import FullTextSearch
from towpath.search.sqlite.vector_index_cache import VectorIndexCache

#: A cached document frequency expires after this many changed chunks.
STALE_CHANGES = 500
GIGABYTE = 1 << 30


class SqliteIndex:
    """``cache_bytes`` bounds the memory for vectors: 100,000 vectors of 384 dimensions need 154 MB."""

    def __init__(self, database: Database, *, cache_bytes: int = GIGABYTE) -> None:
        self.database = database
        self._vector_indexes = VectorIndexCache(cache_bytes)
        self._document_frequencies = DocumentFrequencyCache(stale=STALE_CHANGES)

    def by_words(
        self, tx: Transaction, scope: Scope, parsed: ParsedQuery, depth: int, min_results: int
    ) -> list[RankedChunk]:
        return FullTextSearch(tx, scope, depth, self._document_frequencies).search(parsed.terms, min_results)

    def by_vector(
        self, tx: Transaction, scope: Scope, space: EmbeddingSpace, vector: Vectors, depth: int
    ) -> list[RankedChunk]:
        document_ids = _documents(tx, scope)
        return self._vector_indexes.nearest(tx, scope.org_id, space, vector, depth, document_ids)

    def chunks_by_vector(
        self, tx: Transaction, scope: Scope, space: EmbeddingSpace, vector: Vectors, depth: int
    ) -> list[tuple[RankedChunk, ChunkRow]]:
        ranked_chunks = self.by_vector(tx, scope, space, vector, depth)
        rows = read_chunk_rows(tx, scope, [ranked.chunk_rowid for ranked in ranked_chunks])
        return [(ranked, rows[ranked.chunk_rowid]) for ranked in ranked_chunks if ranked.chunk_rowid in rows]

    def by_vectors(
        self, tx: Transaction, scope: Scope, space: EmbeddingSpace, vectors: Vectors, depth: int
    ) -> list[list[RankedChunk]]:
        return self._vector_indexes.nearest_many(
            tx, scope.org_id, space, vectors, depth, excluded_document=scope.excluded_document_id
        )


def _documents(tx: Transaction, scope: Scope) -> set[str] | None:
    """The ids of the documents in the scope; None for the whole organization."""
    if scope.kind is None:
        return None if scope.document_id is None else {scope.document_id}
    query = select(documents.c.id).where(documents.c.org_id == scope.org_id, documents.c.kind == scope.kind)
    document_ids = set(tx.connection.scalars(query))
    return document_ids if scope.document_id is None else document_ids & {scope.document_id}
