"""The search index on Postgres: words by BM25, vectors by pgvector's HNSW. No session state."""

from __future__ import annotations

import time
from collections.abc import Sequence

from towpath.ledger.database import Database, Transaction
from towpath.providers.contract import Vectors
from towpath.search.contract import NO_FILTERS, ChunkRow, EmbeddingSpace, RankedChunk, Scope
from towpath.search.document_frequency_cache import DocumentFrequencyCache
from towpath.search.postgres import vectors as nearest
from towpath.search.postgres.vectors import EF_SEARCH, MAX_EXACT, NearestNeighbourQuery, count_at_most
from towpath.search.query_parser import ParsedQuery
from towpath.search.words.bm25 import WordMatches
from towpath.search.words.index import WordIndex
from towpath.search.words.similar_chunks import TermStatistics

#: Seconds for which a cached count of chunks is used.
STALE_SECONDS = 60.0


class PostgresIndex:
    """``ef_search`` trades time for recall; up to ``max_exact`` vectors are compared by an exact scan."""

    def __init__(self, database: Database, *, ef_search: int = EF_SEARCH, max_exact: int = MAX_EXACT) -> None:
        self.database = database
        self._ef_search = ef_search
        self._max_exact = max_exact
        self._words = WordIndex()
        self._scope_sizes = DocumentFrequencyCache(stale=STALE_SECONDS)

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
        return self._nearest_query(tx, scope, space, vector, depth).rank(tx)

    def similarities(
        self,
        tx: Transaction,
        scope: Scope,
        space: EmbeddingSpace,
        vector: Vectors,
        chunk_rowids: Sequence[int],
    ) -> dict[int, float]:
        return nearest.similarities(tx, space, vector, chunk_rowids)

    def vectors(
        self, tx: Transaction, scope: Scope, space: EmbeddingSpace, chunk_rowids: Sequence[int]
    ) -> dict[int, Vectors]:
        return nearest.read_vectors(tx, space, chunk_rowids)

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
        if scope.filters.document_ids:
            return True
        key, now = (
            f"{scope.org_id} {scope.filters if scope.filters != NO_FILTERS else None}",
            time.monotonic(),
        )
        size = self._scope_sizes.get(key, now)
        if size is None:
            size = self._scope_sizes.put(key, count_at_most(tx, scope, self._max_exact + 1), now)
        return size <= self._max_exact
