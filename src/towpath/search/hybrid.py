"""Hybrid search: word search and vector search at the same time, fused into one list of hits."""

from __future__ import annotations

import asyncio
import logging
import uuid
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from towpath.errors import ConfigError, ProviderError
from towpath.ledger.database import Transaction
from towpath.providers.contract import Embedder, Vectors
from towpath.search import character_ngrams, fusion
from towpath.search.chunk_rows import read_texts
from towpath.search.contract import (
    NO_RESULTS,
    EmbeddingSpace,
    Query,
    RankedChunk,
    Scope,
    SearchResults,
    Suggestions,
)
from towpath.search.embedding_model_profile import ModelProfile, query_language
from towpath.search.fusion import FusedChunk
from towpath.search.index_contract import SearchIndex
from towpath.search.neighbour_boost import CANDIDATES as NEIGHBOUR_CANDIDATES
from towpath.search.neighbour_boost import SHARE as NEIGHBOUR_SHARE
from towpath.search.neighbour_boost import add_neighbours
from towpath.search.query_parser import ParsedQuery, parse_query
from towpath.search.query_suggestions import suggest, with_corrections
from towpath.search.rerank import CANDIDATES, CandidateReranker
from towpath.search.results import Ranking, make_results, similar_chunk_results
from towpath.search.words.bm25 import NO_MATCHES, WordMatches
from towpath.text.word_tokenizer import is_unsegmented, word_list

log = logging.getLogger(__name__)

#: Length of each result list before fusion. The same for every page, so that pages do not overlap.
DEPTH = 100
#: In a library of several languages, what is added to the score of a chunk in the language of the query.
OWN_LANGUAGE_BONUS = 0.02
#: The largest weight of the similarity in a query for an identifier.
MAX_IDENTIFIER_WEIGHT = 0.2
#: In mode `vector`, chunks that are read for each document of a page of documents, and the most of them.
CHUNKS_PER_GROUP = 3
MAX_GROUPED_VECTORS = 1_000
#: A hit that only the vector knows has at least this many words, or pairs of letters where words are not separated.
MIN_SIMILAR_WORDS = 5
#: Query vectors kept in memory.
CACHED_QUERIES = 1_000


@dataclass(frozen=True, slots=True)
class _Words:
    """What the word index answers to a query."""

    matches: WordMatches
    #: The chunks that contain the whole query as a sentence.
    verbatim: Sequence[int] = ()
    did_you_mean: str | None = None


class HybridSearcher:
    """Implements `SearchService` on the search index of either engine."""

    def __init__(
        self,
        index: SearchIndex,
        embedder: Embedder,
        *,
        fusion_weight: float | None = None,
        reranker: CandidateReranker | None = None,
    ) -> None:
        self._reranker = reranker
        self.index = index
        self._embedder = embedder
        self._space = EmbeddingSpace(embedder.model, embedder.dimension)
        self._profile = ModelProfile.of(embedder, fusion_weight)
        # Cached so that the next page of a search is not paid for again.
        self._query_vectors: OrderedDict[str, Vectors] = OrderedDict()

    async def search(self, query: Query) -> SearchResults:
        parsed = parse_query(query.text, prefix=query.prefix)
        scope = _scope(query)
        if scope is None or not parsed.text:
            return NO_RESULTS
        match query.mode:
            case "text":
                return await self._search_text(query, scope, parsed)
            case "vector":
                return await self._search_vectors(query, scope, parsed)
            case "hybrid":
                return await self._search_hybrid(query, scope, parsed)

    async def suggest(self, org_id: str, text: str, limit: int = 8) -> Suggestions:
        org_id = str(uuid.UUID(org_id))
        return await self.index.database.run(
            lambda tx: suggest(tx, self.index, org_id, text, limit), read=True, org=org_id
        )

    async def _search_text(self, query: Query, scope: Scope, parsed: ParsedQuery) -> SearchResults:
        def work(tx: Transaction) -> SearchResults:
            words = self._find_words(tx, query, scope, parsed)
            fused = fusion.by_words_only(words.matches.ranked[:DEPTH])
            ranking = Ranking(_promoted(words, fused), words.matches, did_you_mean=words.did_you_mean)
            return make_results(tx, query, scope, parsed, ranking)

        return await self.index.database.run(work, read=True, org=scope.org_id)

    async def _search_vectors(self, query: Query, scope: Scope, parsed: ParsedQuery) -> SearchResults:
        vector = await self._embed_query(parsed)
        if vector is None:
            return NO_RESULTS
        depth = query.offset + query.limit
        if query.group or query.facets:
            depth = max(DEPTH, min(MAX_GROUPED_VECTORS, CHUNKS_PER_GROUP * depth))

        def work(tx: Transaction) -> SearchResults:
            by_vector = self.index.chunks_by_vector(tx, scope, self._space, vector, depth)
            return similar_chunk_results(tx, query, parsed, by_vector, depth)

        # `single`: each statement may be its own transaction, which saves two round trips.
        return await self.index.database.run(work, read=True, single=True, org=scope.org_id)

    async def _search_hybrid(self, query: Query, scope: Scope, parsed: ParsedQuery) -> SearchResults:
        words, (vector, by_vector) = await asyncio.gather(
            self.index.database.run(
                lambda tx: self._find_words(tx, query, scope, parsed), read=True, org=scope.org_id
            ),
            self._by_vector_if_possible(scope, parsed),
        )

        def rank(tx: Transaction) -> Ranking:
            ranking = self._fuse(tx, scope, parsed, words.matches, vector, by_vector)
            return replace(ranking, fused=_promoted(words, ranking.fused), did_you_mean=words.did_you_mean)

        if self._reranker is not None and query.offset < CANDIDATES:
            return await self._rerank(self._reranker, query, scope, parsed, rank)
        return await self.index.database.run(
            lambda tx: make_results(tx, query, scope, parsed, rank(tx)),
            read=True,
            single=True,
            org=scope.org_id,
        )

    async def _rerank(
        self,
        reranker: CandidateReranker,
        query: Query,
        scope: Scope,
        parsed: ParsedQuery,
        rank: Callable[[Transaction], Ranking],
    ) -> SearchResults:
        database = self.index.database

        def read(tx: Transaction) -> tuple[Ranking, list[str]]:
            ranking = rank(tx)
            numbers = [chunk.chunk_rowid for chunk in ranking.fused[:CANDIDATES]]
            texts = read_texts(tx, numbers)
            return ranking, [texts.get(number, "") for number in numbers]

        ranking, texts = await database.run(read, read=True, single=True, org=scope.org_id)
        fused, report = await reranker.reorder(parsed.text, ranking.fused, texts)
        # A document whose name is the query stays first.
        reranked = replace(ranking, fused=fusion.promote(ranking.matches.named, fused))
        results = await database.run(
            lambda tx: make_results(tx, query, scope, parsed, reranked),
            read=True,
            single=True,
            org=scope.org_id,
        )
        return replace(results, rerank=report)

    def _find_words(self, tx: Transaction, query: Query, scope: Scope, parsed: ParsedQuery) -> _Words:
        if not parsed.terms:
            return _Words(NO_MATCHES)
        depth = max(DEPTH, query.offset + query.limit)
        matches = self.index.by_words(tx, scope, parsed, depth)
        corrections: dict[str, str] = {}
        if matches.unknown_words:
            corrections = self.index.correct(tx, scope.org_id, matches.unknown_words)
        verbatim = _verbatim_matches(tx, parsed, matches.ranked[:DEPTH])
        return _Words(matches, verbatim, with_corrections(parsed.text, corrections))

    def _fuse(
        self,
        tx: Transaction,
        scope: Scope,
        parsed: ParsedQuery,
        matches: WordMatches,
        vector: Vectors | None,
        by_vector: Sequence[RankedChunk],
    ) -> Ranking:
        best = matches.ranked[:DEPTH]
        if vector is None:
            return Ranking(fusion.by_words_only(best), matches)
        similarities = {ranked.chunk_rowid: ranked.score for ranked in by_vector}
        missing = [ranked.chunk_rowid for ranked in best if ranked.chunk_rowid not in similarities]
        if missing:
            similarities |= self.index.similarities(tx, scope, self._space, vector, missing)
        word_scores = {ranked.chunk_rowid: ranked.score for ranked in best}
        language = query_language(parsed.text, matches.languages)
        factor = fusion.coverage_factor(matches.max_coverage)
        noise = self._profile.noise_for(parsed.text, language, factor)
        similar = [number for number in similarities if number not in word_scores]
        comparable: set[int] = set()
        # A quoted phrase must be in every hit.
        if not matches.requires_phrase:
            comparable = self._comparable(
                tx, matches, [number for number in similar if similarities[number] >= noise]
            )
        for number in similar:
            if number in comparable:
                word_scores[number] = matches.score_of(number)
            else:
                del similarities[number]
        weight = self._profile.weight_for(language)
        if matches.has_identifier:
            weight = min(weight, MAX_IDENTIFIER_WEIGHT)
        fuse = partial(
            fusion.fuse,
            word_scores,
            similarities,
            weight=weight,
            coverage=factor,
            bonus=_language_bonus(matches, language, word_scores),
            reduced={number for number in similarities if matches.is_contents_page(number)},
            other_language=self._in_other_languages(matches, language, similarities),
        )
        fused = fuse()
        whole_share, window_share = _ngram_shares(matches, language)
        ngram_share = whole_share + window_share
        if ngram_share:
            best_numbers = [chunk.chunk_rowid for chunk in fused[: character_ngrams.CANDIDATES]]
            ngrams = _ngram_scores(tx, parsed, best_numbers, window_share / ngram_share)
            fused = fuse(ngrams=ngrams, ngram_share=ngram_share)
        share = 0.0
        if not matches.has_identifier:
            # As the weight, less for a model that does not know the language of the query.
            share = NEIGHBOUR_SHARE * weight / self._profile.weight if self._profile.weight else 0.0
        if share:
            numbers = [chunk.chunk_rowid for chunk in fused[:NEIGHBOUR_CANDIDATES]]
            fused = add_neighbours(
                fused,
                self.index.vectors(tx, scope, self._space, numbers),
                matches.document_of,
                share=share,
                noise_similarity=self._profile.noise_similarity,
            )
        return Ranking(fused, matches, weight, factor, neighbour_share=share, ngram_share=ngram_share)

    def _in_other_languages(
        self, matches: WordMatches, language: str | None, similarities: dict[int, float]
    ) -> set[int]:
        """The chunks that are near in meaning and in another language than the query, of those that the model knows."""
        if language is None or not self._profile.may_know(language) or len(matches.languages) < 2:
            return set()
        if matches.has_identifier or matches.requires_phrase:
            return set()
        near = [number for number, value in similarities.items() if value >= self._profile.noise_similarity]
        return {
            number
            for number in near
            if matches.language_of(number) not in (None, language)
            and self._profile.may_know(matches.language_of(number))
        }

    def _comparable(self, tx: Transaction, matches: WordMatches, numbers: Sequence[int]) -> set[int]:
        """The chunks whose similarity says something though they have no word of the query. Models take a lone word,
        and every text in a script that they do not know, for similar to any words they do not know either."""
        known = [number for number in numbers if self._profile.may_know(matches.language_of(number))]
        return {number for number, text in read_texts(tx, known).items() if _has_words(text)}

    async def _by_vector_if_possible(
        self, scope: Scope, parsed: ParsedQuery
    ) -> tuple[Vectors | None, list[RankedChunk]]:
        try:
            vector = await self._embed_query(parsed)
        except (ProviderError, ConfigError) as error:
            log.warning("The embedder does not answer; searching by words only: %s", error)
            return None, []
        if vector is None:
            return None, []
        by_vector = await self.index.database.run(
            lambda tx: self.index.by_vector(tx, scope, self._space, vector, DEPTH),
            read=True,
            single=True,
            org=scope.org_id,
        )
        return vector, by_vector

    async def _embed_query(self, parsed: ParsedQuery) -> Vectors | None:
        """The query's vector; None if the model returns zeros or NaN, as some models do for unusual texts."""
        vector = self._query_vectors.get(parsed.text)
        if vector is None:
            vector = np.asarray((await self._embedder.embed([parsed.text])).vectors[0], np.float32)
            self._query_vectors[parsed.text] = vector
            if len(self._query_vectors) > CACHED_QUERIES:
                self._query_vectors.popitem(last=False)
        return vector if np.isfinite(vector).all() and vector.any() else None


def _promoted(words: _Words, fused: Sequence[FusedChunk]) -> list[FusedChunk]:
    """First the documents whose name is the query, then the chunks that have the query as a sentence."""
    known = {chunk.chunk_rowid for chunk in fused}
    named = [
        FusedChunk(number, 0.0, words.matches.score_of(number), 1.0, None, 0.0)
        for number in words.matches.named
        if number not in known
    ]
    return fusion.promote(words.matches.named, fusion.promote(words.verbatim, [*fused, *named]))


def _language_bonus(
    matches: WordMatches, language: str | None, numbers: Sequence[int] | dict[int, float]
) -> dict[int, float]:
    """In a library of several languages, the language of the query comes first among equals."""
    if language is None or len(matches.languages) < 2:
        return {}
    return {number: OWN_LANGUAGE_BONUS for number in numbers if matches.language_of(number) == language}


def _has_words(text: str) -> bool:
    lengths = (max(1, len(word) // 2) if is_unsegmented(word) else 1 for word in word_list(text))
    return sum(lengths) >= MIN_SIMILAR_WORDS


def _ngram_shares(matches: WordMatches, language: str | None) -> tuple[float, float]:
    """The shares of the letters of the whole text, and of its best window, in the score of the words. An identifier or
    a quoted phrase has to be exact."""
    if matches.has_identifier or matches.requires_phrase:
        return 0.0, 0.0
    if language in (None, "en"):
        return character_ngrams.LOWER_SHARE, 0.0
    return character_ngrams.SHARE, character_ngrams.WINDOW_SHARE


def _ngram_scores(
    tx: Transaction, parsed: ParsedQuery, numbers: Sequence[int], window_share: float
) -> dict[int, float]:
    """The scores of chunks by the sequences of letters that they share with the query."""
    texts = read_texts(tx, numbers)
    query_words, found = word_list(parsed.text), list(texts.values())
    scores = character_ngrams.ngram_scores(query_words, found, window_share)
    return dict(zip(texts, scores.tolist(), strict=True))


def _verbatim_matches(
    tx: Transaction, parsed: ParsedQuery, ranked_chunks: Sequence[RankedChunk]
) -> list[int]:
    """The chunks that contain the whole query as a sentence; they come first, however common its words are."""
    sentence = parsed.sentence_pattern
    if sentence is None:
        return []
    texts = read_texts(tx, [ranked.chunk_rowid for ranked in ranked_chunks])
    return [
        ranked.chunk_rowid for ranked in ranked_chunks if sentence.search(texts.get(ranked.chunk_rowid, ""))
    ]


def _scope(query: Query) -> Scope | None:
    """The scope of the query; None if an id or the kind is malformed, which means no hits."""
    filters = query.filters
    if query.kind is not None:
        filters = replace(filters, kinds=(query.kind,))
    if query.document_id is not None:
        filters = replace(filters, document_ids=(query.document_id,))
    try:
        org_id = str(uuid.UUID(query.org_id))
        filters = replace(
            filters,
            document_ids=tuple(str(uuid.UUID(document)) for document in filters.document_ids),
            excluded_document_ids=tuple(
                str(uuid.UUID(document)) for document in filters.excluded_document_ids
            ),
        )
    except ValueError:
        return None
    texts = (
        *filters.kinds,
        *filters.media_types,
        *filters.languages,
        *filters.collections,
        *filters.tags,
        *filters.statuses,
        filters.name_part,
        *(text for pair in filters.metadata for text in pair),
    )
    if not all(text.isprintable() for text in texts):
        return None
    return Scope(org_id, filters)
