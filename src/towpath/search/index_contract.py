"""The contract of a search index: what each database engine provides for hybrid search."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from towpath.ledger.database import Database, Transaction
from towpath.providers.contract import Vectors
from towpath.search.contract import ChunkRow, EmbeddingSpace, RankedChunk, Scope
from towpath.search.query_parser import ParsedQuery
from towpath.search.words.bm25 import WordMatches
from towpath.search.words.similar_chunks import TermStatistics


class SearchIndex(Protocol):
    """Word search and vector search, each best first. Methods block and run inside a transaction."""

    database: Database

    def by_words(self, tx: Transaction, scope: Scope, parsed: ParsedQuery, depth: int) -> WordMatches:
        """The ``depth`` best chunks by BM25, and the scores of all others; the same on every engine."""
        ...

    def correct(self, tx: Transaction, org_id: str, words: Sequence[str]) -> dict[str, str]:
        """For each of the words that no document has, the word of the library that differs by one letter, if any."""
        ...

    def complete(self, tx: Transaction, org_id: str, beginning: str, limit: int) -> list[str]:
        """The words of the library that begin so, the most frequent ones first."""
        ...

    def chunks_by_terms(
        self,
        tx: Transaction,
        org_id: str,
        passages: Sequence[Sequence[str]],
        depth: int,
        excluded_document: str | None = None,
    ) -> list[list[RankedChunk]]:
        """For the terms of each passage the ``depth`` best chunks by BM25: "more like this", for background work."""
        ...

    def term_statistics(self, tx: Transaction, org_id: str, terms: Sequence[str]) -> TermStatistics:
        """In how many chunks of the organization each term of the index is."""
        ...

    def by_vector(
        self, tx: Transaction, scope: Scope, space: EmbeddingSpace, vector: Vectors, depth: int
    ) -> list[RankedChunk]:
        """The ``depth`` nearest chunks and their cosines."""
        ...

    def similarities(
        self,
        tx: Transaction,
        scope: Scope,
        space: EmbeddingSpace,
        vector: Vectors,
        chunk_rowids: Sequence[int],
    ) -> dict[int, float]:
        """The cosines of these chunks; those without a vector of the space are left out."""
        ...

    def vectors(
        self, tx: Transaction, scope: Scope, space: EmbeddingSpace, chunk_rowids: Sequence[int]
    ) -> dict[int, Vectors]:
        """The vectors of these chunks; those without a vector of the space are left out."""
        ...

    def chunks_by_vector(
        self, tx: Transaction, scope: Scope, space: EmbeddingSpace, vector: Vectors, depth: int
    ) -> list[tuple[RankedChunk, ChunkRow]]:
        """The nearest chunks with their rows, in one round trip on Postgres."""
        ...

    def by_vectors(
        self, tx: Transaction, scope: Scope, space: EmbeddingSpace, vectors: Vectors, depth: int
    ) -> list[list[RankedChunk]]:
        """The nearest chunks of each of many vectors, for background work."""
        ...
