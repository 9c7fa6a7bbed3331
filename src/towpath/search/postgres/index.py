"""The search index on Postgres: full text by tsvector and GIN, vectors by pgvector's HNSW. No session state."""

from __future__ import annotations

import time

from towpath.ledger.database import Database, Transaction
from towpath.providers.contract import Vectors
from towpath.search.contract import ChunkRow, EmbeddingSpace, RankedChunk, Scope
from towpath.search.document_frequency_cache import DocumentFrequencyCache
from towpath.search.postgres.fulltext import FullTextSearch
from towpath.search.postgres.vectors import EF_SEARCH, MAX_EXACT, NearestNeighbourQuery, count_at_most
from towpath.search.query_parser import ParsedQuery

#: Seconds for which a cached count of chunks is used.
STALE_SECONDS = 60.0


class PostgresIndex:
    """``ef_search`` trades time for recall; up to ``max_exact`` vectors are compared by an exact scan."""

    def __init__(self, database: Database, *, ef_search: int = EF_SEARCH, max_exact: int = MAX_EXACT) -> None:
        self.database = database
        self._ef_search = ef_search
        self._max_exact = max_exact
        self._document_frequencies = DocumentFrequencyCache(stale=STALE_SECONDS)
        self._scope_sizes = DocumentFrequencyCache(stale=STALE_SECONDS)

    def by_words(
        self, tx: Transaction, scope: Scope, parsed: ParsedQuery, depth: int, min_results: int
    ) -> list[RankedChunk]:
        return FullTextSearch(tx, scope, depth, self._document_frequencies).search(parsed.terms, min_results)

    def by_vector(
        self, tx: Transaction, scope: Scope, space: EmbeddingSpace, vector: Vectors, depth: int
    ) -> list[RankedChunk]:
        return self._nearest_query(tx, scope, space, vector, depth).rank(tx)

    def chunks_by_vector(
        self, tx: Transaction, scope: Scope, space: EmbeddingSpace, vector: Vectors, depth: int
    ) -> list[tuple[RankedChunk, ChunkRow]]:
        return self._nearest_query(tx, scope, space, vector, depth).rank_with_rows(tx)

    def by_vectors(
        self, tx: Transaction, scope: Scope, space: EmbeddingSpace, vectors: Vectors, depth: int
    ) -> list[list[RankedChunk]]:
        return [self.by_vector(tx, scope, space, vector, depth) for vector in vectors]

    def _nearest_query(
        self, tx: Transaction, scope: Scope, space: EmbeddingSpace, vector: Vectors, depth: int
    ) -> NearestNeighbourQuery:
        exact = self._use_exact_scan(tx, scope)
        return NearestNeighbourQuery(scope, space, vector, depth, max(self._ef_search, depth), exact)

    def _use_exact_scan(self, tx: Transaction, scope: Scope) -> bool:
        """True if an exact scan is as fast as HNSW. HNSW with a selective filter loses recall."""
        if scope.document_id is not None:
            return True
        key, now = f"{scope.org_id} {scope.kind}", time.monotonic()
        size = self._scope_sizes.get(key, now)
        if size is None:
            size = self._scope_sizes.put(key, count_at_most(tx, scope, self._max_exact + 1), now)
        return size <= self._max_exact
