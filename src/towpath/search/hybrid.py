"""Hybrid search: full-text search and vector search at the same time, fused into one list of hits."""

from __future__ import annotations

import asyncio
import logging
import uuid
from collections import OrderedDict
from collections.abc import Sequence
from functools import partial

import numpy as np

from towpath.errors import ConfigError, ProviderError
from towpath.ledger.database import Transaction
from towpath.providers.contract import Embedder, Vectors
from towpath.search.chunk_rows import read_chunk_rows, read_texts
from towpath.search.contract import ChunkRow, EmbeddingSpace, Hit, Query, RankedChunk, Scope
from towpath.search.index_contract import SearchIndex
from towpath.search.query_parser import ParsedQuery, parse_query
from towpath.search.rank_fusion import fuse, promote
from towpath.search.snippet import best_match_offset, make_snippet
from towpath.search.timestamps import anchor_at_match

log = logging.getLogger(__name__)

#: Length of each result list before fusion. The same for every page, so that pages do not overlap.
DEPTH = 200
#: If fewer chunks contain all terms, chunks with some of the terms are added.
MIN_FULL_MATCHES = 10
#: Query vectors kept in memory.
CACHED_QUERIES = 1_000


class HybridSearcher:
    """Implements `SearchService` on the search index of either engine."""

    def __init__(self, index: SearchIndex, embedder: Embedder) -> None:
        self._index = index
        self._embedder = embedder
        self._space = EmbeddingSpace(embedder.model, embedder.dimension)
        # Cached so that the next page of a search is not paid for again.
        self._query_vectors: OrderedDict[str, Vectors] = OrderedDict()

    async def search(self, query: Query) -> list[Hit]:
        parsed = parse_query(query.text)
        scope = _scope(query)
        if scope is None or not parsed.text:
            return []
        match query.mode:
            case "text":
                return await self._search_text(query, scope, parsed)
            case "vector":
                return await self._search_vectors(query, scope, parsed)
            case "hybrid":
                return await self._search_hybrid(query, scope, parsed)

    async def _search_text(self, query: Query, scope: Scope, parsed: ParsedQuery) -> list[Hit]:
        def work(tx: Transaction) -> list[Hit]:
            # Fused by rank: the scores of full matches and partial matches are not on one scale.
            by_words = self._by_words(tx, scope, parsed, _depth(query))
            return _hits(
                tx, query, scope, parsed, promote(_verbatim_matches(tx, parsed, by_words), fuse([by_words]))
            )

        return await self._index.database.run(work, read=True, org=scope.org_id)

    async def _search_vectors(self, query: Query, scope: Scope, parsed: ParsedQuery) -> list[Hit]:
        vector = await self._embed_query(parsed)
        if vector is None:
            return []

        def work(tx: Transaction) -> list[Hit]:
            by_vector = self._index.chunks_by_vector(tx, scope, self._space, vector, _depth(query))
            return [_hit(ranked, passage, parsed) for ranked, passage in by_vector[query.offset :]]

        # `single`: each statement may be its own transaction, which saves two round trips.
        return await self._index.database.run(work, read=True, single=True, org=scope.org_id)

    async def _search_hybrid(self, query: Query, scope: Scope, parsed: ParsedQuery) -> list[Hit]:
        def work(tx: Transaction) -> tuple[list[RankedChunk], list[RankedChunk]]:
            by_words = self._by_words(tx, scope, parsed, DEPTH)
            return by_words, _verbatim_matches(tx, parsed, by_words)

        (by_words, verbatim), by_vector = await asyncio.gather(
            self._index.database.run(work, read=True, org=scope.org_id),
            self._by_vector_if_possible(scope, parsed),
        )
        if parsed.phrases:
            # A quoted phrase must be in every hit, so vectors only reorder the chunks that contain it.
            matching_rowids = {ranked.chunk_rowid for ranked in by_words}
            by_vector = [ranked for ranked in by_vector if ranked.chunk_rowid in matching_rowids]
        fused = promote(verbatim, fuse([by_words, by_vector]))
        return await self._index.database.run(
            lambda tx: _hits(tx, query, scope, parsed, fused), read=True, single=True, org=scope.org_id
        )

    def _by_words(self, tx: Transaction, scope: Scope, parsed: ParsedQuery, depth: int) -> list[RankedChunk]:
        return (
            self._index.by_words(tx, scope, parsed, depth, min(MIN_FULL_MATCHES, depth))
            if parsed.terms
            else []
        )

    async def _by_vector_if_possible(self, scope: Scope, parsed: ParsedQuery) -> list[RankedChunk]:
        try:
            vector = await self._embed_query(parsed)
        except (ProviderError, ConfigError) as error:
            log.warning("The embedder does not answer; searching by words only: %s", error)
            return []
        if vector is None:
            return []
        return await self._index.database.run(
            lambda tx: self._index.by_vector(tx, scope, self._space, vector, DEPTH),
            read=True,
            single=True,
            org=scope.org_id,
        )

    async def _embed_query(self, parsed: ParsedQuery) -> Vectors | None:
        """The query's vector; None if the model returns zeros or NaN, as some models do for unusual texts."""
        vector = self._query_vectors.get(parsed.text)
        if vector is None:
            vector = np.asarray((await self._embedder.embed([parsed.text])).vectors[0], np.float32)
            self._query_vectors[parsed.text] = vector
            if len(self._query_vectors) > CACHED_QUERIES:
                self._query_vectors.popitem(last=False)
        return vector if np.isfinite(vector).all() and vector.any() else None


def _verbatim_matches(
    tx: Transaction, parsed: ParsedQuery, ranked_chunks: Sequence[RankedChunk]
) -> list[RankedChunk]:
    """The chunks that contain the whole query as a sentence; they come first, however common its words are."""
    sentence = parsed.sentence_pattern
    if sentence is None:
        return []
    texts = read_texts(tx, [ranked.chunk_rowid for ranked in ranked_chunks])
    return [ranked for ranked in ranked_chunks if sentence.search(texts.get(ranked.chunk_rowid, ""))]


def _depth(query: Query) -> int:
    return query.offset + query.limit


def _scope(query: Query) -> Scope | None:
    """The scope of the query; None if an id or the kind is malformed, which means no hits."""
    try:
        org_id = str(uuid.UUID(query.org_id))
        document_id = None if query.document_id is None else str(uuid.UUID(query.document_id))
    except ValueError:
        return None
    if query.kind is not None and not query.kind.isprintable():
        return None
    return Scope(org_id, query.kind, document_id)


def _hits(
    tx: Transaction, query: Query, scope: Scope, parsed: ParsedQuery, ranked_chunks: Sequence[RankedChunk]
) -> list[Hit]:
    page = ranked_chunks[query.offset : query.offset + query.limit]
    chunk_rows = read_chunk_rows(tx, scope, [ranked.chunk_rowid for ranked in page])
    # A missing row was deleted or replaced after it was ranked.
    return [
        _hit(ranked, chunk_rows[ranked.chunk_rowid], parsed)
        for ranked in page
        if ranked.chunk_rowid in chunk_rows
    ]


def _hit(ranked: RankedChunk, chunk: ChunkRow, parsed: ParsedQuery) -> Hit:
    snippet = make_snippet(chunk.text, parsed)
    return Hit(
        chunk.chunk_id,
        chunk.document_id,
        chunk.document_name,
        chunk.document_kind,
        ranked.score,
        snippet.text,
        snippet.highlights,
        anchor_at_match(chunk.anchor, partial(best_match_offset, chunk.text, parsed)),
        chunk.ordinal,
    )
