"""Makes one page of results: hits with snippets, grouped by document if asked, totals and facets."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import inf

from towpath.ledger.database import Transaction
from towpath.search.chunk_rows import read_chunk_rows
from towpath.search.contract import (
    MAX_TOTAL,
    ChunkRow,
    Explanation,
    Facets,
    Hit,
    MatchedBy,
    Query,
    RankedChunk,
    Scope,
    SearchResults,
)
from towpath.search.facets import MAX_FACET_DOCUMENTS, count_facets
from towpath.search.fusion import FusedChunk
from towpath.search.match_timestamps import anchor_at_match
from towpath.search.query_parser import ParsedQuery, Term
from towpath.search.snippet import best_match_offset, make_snippet, plain_snippet
from towpath.search.words.bm25 import NO_MATCHES, WordMatches

#: CPU time for the snippets of one page of hits; the hits after that show the start of their text.
SNIPPET_BUDGET_SECONDS = 0.5
#: When a page of documents needs more chunks, this many times more are put in order.
DEEPER = 8


@dataclass(frozen=True, slots=True)
class Ranking:
    """The chunks that a query finds: the candidates in their order, and after them the other matches of the words."""

    fused: Sequence[FusedChunk]
    matches: WordMatches
    weight: float = 0.0
    coverage_factor: float = 1.0
    neighbour_share: float = 0.0
    ngram_share: float = 0.0
    did_you_mean: str | None = None

    def ordered(self, depth: int) -> list[FusedChunk]:
        """At least ``depth`` chunks, if there are so many."""
        if len(self.fused) >= depth or len(self.fused) >= self.matches.total:
            return list(self.fused)
        known = {chunk.chunk_rowid for chunk in self.fused}
        # After the candidates the order is that of the words.
        ranked = (item for item in self.matches.deeper(depth).ranked if item.chunk_rowid not in known)
        by_words_only = not self.weight
        return [
            *self.fused,
            *(
                FusedChunk(item.chunk_rowid, item.score * by_words_only, item.score, 0.0, None, 0.0)
                for item in ranked
            ),
        ]

    @property
    def without_words(self) -> list[FusedChunk]:
        """The candidates that the word index does not count: similar ones, and documents found by name."""
        ranked = {item.chunk_rowid for item in self.matches.ranked}
        return [
            chunk
            for chunk in self.fused
            if chunk.chunk_rowid not in ranked and not self.matches.has_match(chunk.chunk_rowid)
        ]


def make_results(
    tx: Transaction, query: Query, scope: Scope, parsed: ParsedQuery, ranking: Ranking
) -> SearchResults:
    chunks = _page(query, ranking)
    rows = read_chunk_rows(tx, scope, [chunk.chunk_rowid for chunk in chunks])
    matches, similar = ranking.matches, ranking.without_words
    deadline = time.thread_time() + SNIPPET_BUDGET_SECONDS
    parsed = replace(parsed, terms=(*parsed.terms, *(Term((word,)) for word in matches.completions)))
    # A missing row was deleted or replaced after it was ranked.
    hits = [
        _hit(
            chunk,
            rows[chunk.chunk_rowid],
            parsed,
            matches,
            weight=ranking.weight,
            coverage_factor=ranking.coverage_factor,
            neighbour_share=ranking.neighbour_share,
            ngram_share=ranking.ngram_share,
            explain=query.explain,
            deadline=deadline,
        )
        for chunk in chunks
        if chunk.chunk_rowid in rows
    ]
    if query.group:
        hits = [
            _with_others(hit, chunk.chunk_rowid, matches, similar)
            for hit, chunk in _pairs(hits, chunks, rows)
        ]
    total = matches.total + len(similar)
    found_only_by_meaning = {
        document
        for chunk in similar
        if (document := matches.document_of(chunk.chunk_rowid)) is not None
        and not matches.matches_in_document_of(chunk.chunk_rowid)
    }
    return SearchResults(
        tuple(hits),
        min(total, MAX_TOTAL),
        matches.count_documents() + len(found_only_by_meaning),
        total <= MAX_TOTAL,
        ranking.did_you_mean,
        _facets(tx, ranking, found_only_by_meaning) if query.facets else None,
    )


def _page(query: Query, ranking: Ranking) -> list[FusedChunk]:
    """The chunks of the page; with `group`, the best one of each document."""
    needed = query.offset + query.limit
    chunks = ranking.ordered(needed)
    if not query.group:
        return chunks[query.offset : needed]
    while True:
        groups: dict[str, FusedChunk] = {}
        for chunk in chunks:
            document = ranking.matches.document_of(chunk.chunk_rowid) or str(chunk.chunk_rowid)
            groups.setdefault(document, chunk)
        deeper = ranking.ordered(DEEPER * max(needed, len(chunks))) if len(groups) < needed else chunks
        if len(deeper) <= len(chunks):
            return list(groups.values())[query.offset : needed]
        chunks = deeper


def _pairs(
    hits: Iterable[Hit], chunks: Iterable[FusedChunk], rows: dict[int, ChunkRow]
) -> Iterable[tuple[Hit, FusedChunk]]:
    return zip(hits, (chunk for chunk in chunks if chunk.chunk_rowid in rows), strict=True)


def _with_others(hit: Hit, number: int, matches: WordMatches, similar: Sequence[FusedChunk]) -> Hit:
    others = matches.matches_in_document_of(number)
    others += sum(matches.document_of(chunk.chunk_rowid) == hit.document_id for chunk in similar)
    return replace(hit, more_in_document=max(0, others - 1))


def _facets(tx: Transaction, ranking: Ranking, found_only_by_meaning: set[str]) -> Facets:
    """The facets of all documents found; of very many, of the best ones."""
    if ranking.matches.count_documents() <= MAX_FACET_DOCUMENTS:
        ids = {*ranking.matches.documents(), *found_only_by_meaning}
    else:
        best = ranking.ordered(MAX_FACET_DOCUMENTS)
        ids = {document for chunk in best if (document := ranking.matches.document_of(chunk.chunk_rowid))}
    return count_facets(tx, sorted(ids))


def similar_chunk_results(
    tx: Transaction,
    query: Query,
    parsed: ParsedQuery,
    by_vector: Sequence[tuple[RankedChunk, ChunkRow]],
    depth: int,
) -> SearchResults:
    """The results of mode `vector`: every chunk is more or less similar, so there is no total beyond what was read."""
    by_document: dict[str, int] = {}
    shown: list[tuple[RankedChunk, ChunkRow]] = []
    for ranked, row in by_vector:
        if not query.group or row.document_id not in by_document:
            shown.append((ranked, row))
        by_document[row.document_id] = by_document.get(row.document_id, 0) + 1
    hits = [
        replace(
            _hit(_similar(ranked), row, parsed, NO_MATCHES, explain=query.explain),
            more_in_document=by_document[row.document_id] - 1 if query.group else 0,
        )
        for ranked, row in shown[query.offset : query.offset + query.limit]
    ]
    facets = count_facets(tx, list(by_document)[:MAX_FACET_DOCUMENTS]) if query.facets else None
    return SearchResults(tuple(hits), len(by_vector), len(by_document), len(by_vector) < depth, None, facets)


def _similar(ranked: RankedChunk) -> FusedChunk:
    return FusedChunk(ranked.chunk_rowid, ranked.score, 0.0, 0.0, ranked.score, ranked.score)


def _hit(
    chunk: FusedChunk,
    row: ChunkRow,
    parsed: ParsedQuery,
    matches: WordMatches,
    *,
    weight: float = 0.0,
    coverage_factor: float = 1.0,
    neighbour_share: float = 0.0,
    ngram_share: float = 0.0,
    explain: bool = False,
    deadline: float = inf,
) -> Hit:
    in_time = time.thread_time() < deadline
    snippet = make_snippet(row.text, parsed, matches.languages) if in_time else plain_snippet(row.text)
    anchor = row.anchor
    if in_time:
        anchor = anchor_at_match(anchor, partial(best_match_offset, row.text, parsed, matches.languages))
    return Hit(
        row.chunk_id,
        row.document_id,
        row.document_name,
        row.document_kind,
        chunk.score,
        snippet.text,
        snippet.highlights,
        anchor,
        row.ordinal,
        _matched_by(chunk),
        Explanation(
            chunk.word_score,
            chunk.word_score_normalised,
            chunk.similarity,
            chunk.similarity_normalised,
            weight,
            matches.coverage_of(chunk.chunk_rowid),
            coverage_factor,
            chunk.neighbour_score,
            neighbour_share,
            chunk.ngram_score,
            ngram_share,
            matches.words_of(chunk.chunk_rowid),
        )
        if explain
        else None,
    )


def _matched_by(chunk: FusedChunk) -> MatchedBy:
    """Both, if each of the two scores is at least half of the best one."""
    if chunk.word_score <= 0:
        return "meaning"
    return "both" if chunk.similarity is not None and chunk.similarity_normalised >= 0.5 else "words"
