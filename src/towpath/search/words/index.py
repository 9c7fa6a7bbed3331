"""Searches words on both engines: BM25 over the index segments of an organization."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from towpath.ledger.database import Transaction
from towpath.search.allowed_documents import allowed_ids
from towpath.search.contract import RankedChunk, Scope
from towpath.search.query_parser import ParsedQuery
from towpath.search.words import similar_chunks, vocabulary
from towpath.search.words.bm25 import WordMatches, search_words
from towpath.search.words.old_fulltext_index import OldIndex
from towpath.search.words.query_terms import WordQuery, word_query
from towpath.search.words.segment_cache import CACHE_BYTES, IndexSnapshot, LiveSegment, Mask, SegmentCache

#: With at least this many other words, a quoted phrase that no chunk has is searched for as ordinary words, and one in
#: a question with function words is not required.
MIN_QUESTION_WORDS = 4
#: Words that count as the last word of a query that is being typed.
MAX_COMPLETIONS = 16
#: Words of one query that are corrected.
MAX_CORRECTED_WORDS = 5


class WordIndex:
    """Thread-safe; one for each process."""

    def __init__(self, cache_bytes: int = CACHE_BYTES) -> None:
        self._library = SegmentCache(cache_bytes)
        self._old_index = OldIndex()

    def search(self, tx: Transaction, scope: Scope, parsed: ParsedQuery, depth: int) -> WordMatches:
        # Before the segments are read: a document that is indexed meanwhile is in one of the two, never in none.
        old_hits = self._old_index.search(tx, scope, parsed, depth)
        view = self._library.view(tx, scope.org_id)
        completions = self._completions(tx, view, parsed)
        unknown = view.has_unknown_language
        query = word_query(parsed, view.languages, completions, has_unknown_language=unknown)
        if query.phrases and _is_question(query):
            # A question that quotes a name or a title: its words count too, and texts without the quotation are hits.
            words = word_query(parsed.without_quotes(), view.languages, has_unknown_language=unknown)
            query = replace(words, phrases=query.phrases, requires_phrases=False)
        allowed = _allowed_chunks(tx, scope)
        matches = search_words(self._library, tx, view, query, depth, allowed)
        if matches.requires_phrase and not matches.ranked and len(query.terms) >= MIN_QUESTION_WORDS:
            # A question that quotes a name or a saying, which no text has word for word.
            query = word_query(parsed.without_quotes(), view.languages, has_unknown_language=unknown)
            matches = search_words(self._library, tx, view, query, depth, allowed)
        matches = replace(matches, completions=tuple(completions))
        return matches.with_old_hits(old_hits, depth)

    def correct(self, tx: Transaction, org_id: str, words: Sequence[str]) -> dict[str, str]:
        view = self._library.view(tx, org_id)
        found = {
            word: vocabulary.correction(self._library, tx, view, word) for word in words[:MAX_CORRECTED_WORDS]
        }
        return {word: correction for word, correction in found.items() if correction}

    def complete(self, tx: Transaction, org_id: str, beginning: str, limit: int) -> list[str]:
        view = self._library.view(tx, org_id)
        return vocabulary.completions(self._library, tx, view, beginning, limit)

    def _completions(self, tx: Transaction, view: IndexSnapshot, parsed: ParsedQuery) -> list[str]:
        if not parsed.unfinished_word:
            return []
        return vocabulary.completions(self._library, tx, view, parsed.unfinished_word, MAX_COMPLETIONS)

    def chunks_by_terms(
        self,
        tx: Transaction,
        org_id: str,
        passages: Sequence[Sequence[str]],
        depth: int,
        excluded_document: str | None = None,
    ) -> list[list[RankedChunk]]:
        view = self._library.view(tx, org_id)
        return similar_chunks.chunks_by_terms(self._library, tx, view, passages, depth, excluded_document)

    def term_statistics(
        self, tx: Transaction, org_id: str, terms: Sequence[str]
    ) -> similar_chunks.TermStatistics:
        view = self._library.view(tx, org_id)
        return similar_chunks.term_statistics(self._library, tx, view, terms)


def _is_question(query: WordQuery) -> bool:
    """Whether the words outside of the quoted phrases are a question, not further words to search for."""
    return len(query.terms) >= MIN_QUESTION_WORDS and any(term.is_function_word for term in query.terms)


def _allowed_chunks(tx: Transaction, scope: Scope) -> Callable[[LiveSegment], Mask | None]:
    allowed = allowed_ids(tx, scope)
    if allowed is None:
        return lambda segment: segment.live

    def mask(segment: LiveSegment) -> Mask:
        place_of = segment.header.place_of
        # The loop is over the smaller side: a filter may select a few documents of many, or the reverse.
        common = place_of.keys() & allowed
        of_document = np.zeros(len(place_of), np.bool_)
        of_document[[place_of[document] for document in common]] = True
        chunks = of_document[segment.header.document_of]
        return chunks if segment.live is None else chunks & segment.live

    return mask
