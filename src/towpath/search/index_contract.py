"""The contract of a search index: what each database engine provides for hybrid search."""

from __future__ import annotations

from typing import Protocol

from towpath.ledger.database import Database, Transaction
from towpath.providers.contract import Vectors
from towpath.search.contract import ChunkRow, EmbeddingSpace, RankedChunk, Scope
from towpath.search.query_parser import ParsedQuery


class SearchIndex(Protocol):
    """Full-text search and vector search, each best first. Methods block and run inside a transaction."""

    database: Database

    def by_words(
        self, tx: Transaction, scope: Scope, parsed: ParsedQuery, depth: int, min_results: int
    ) -> list[RankedChunk]:
        """Up to ``depth`` chunks with all terms; chunks with some terms are added below ``min_results``."""
        ...

    def by_vector(
        self, tx: Transaction, scope: Scope, space: EmbeddingSpace, vector: Vectors, depth: int
    ) -> list[RankedChunk]:
        """The ``depth`` nearest chunks and their cosines."""
        ...

    def chunks_by_vector(
        self, tx: Transaction, scope: Scope, space: EmbeddingSpace, vector: Vectors, depth: int
    ) -> list[tuple[RankedChunk, ChunkRow]]:
        """The same with the chunk rows, in one round trip on Postgres."""
        ...

    def by_vectors(
        self, tx: Transaction, scope: Scope, space: EmbeddingSpace, vectors: Vectors, depth: int
    ) -> list[list[RankedChunk]]:
        """The nearest chunks of each of many vectors, for background work."""
        ...
