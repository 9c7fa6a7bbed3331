"""Reads the postings of all terms of a query from the segments of an organization."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from towpath.ledger.database import Transaction
from towpath.search.words.query_terms import PhraseTerm, WordQuery
from towpath.search.words.segment_cache import IndexSnapshot, LiveSegment, SegmentCache
from towpath.text.index_markers import CONTENTS
from towpath.text.word_index_segment import Page, Places, Positions, Postings

Numbers = npt.NDArray[np.int64]
#: Every form of a word matches in every language.
NO_RESTRICTIONS: Mapping[str, frozenset[str]] = {}


@dataclass(frozen=True, slots=True)
class LivePostings:
    """One term of the query in one segment."""

    places: Places
    counts: npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class MatchedTerm:
    """A term of the query in the whole library: its weight and its postings in each segment."""

    word: str
    idf: float
    #: The number of chunks that contain it.
    frequency: int
    by_segment: Mapping[int, LivePostings]


def inverse_document_frequency(chunks: int, frequency: int) -> float:
    return float(np.log(1 + (chunks - frequency + 0.5) / (frequency + 0.5)))


class PostingsReader:
    """Reads the postings of all terms of a query at once."""

    def __init__(self, library: SegmentCache, tx: Transaction, view: IndexSnapshot, query: WordQuery) -> None:
        self._view = view
        self._query = query
        self._library = library
        self._tx = tx
        forms = {form for term in query.terms for form in (*term.forms, *term.plain)}
        forms |= {term.form for term in query.joined}
        forms |= {form for phrase in query.phrases for word in phrase.forms for form in word}
        forms |= {CONTENTS, query.name} - {""}
        self._page_of = {
            (segment.segment_id, form): (segment.segment_id, page)
            for segment in view.segments
            for form in forms
            if (page := segment.header.page_of(form)) is not None
        }
        self._pages = library.pages(tx, dict.fromkeys(self._page_of.values()))

    def words(self) -> list[MatchedTerm]:
        terms: list[MatchedTerm] = []
        for term in self._query.terms:
            found = self._term(term.word, term.forms, term.languages)
            if not found.frequency and term.plain:
                found = self._term(term.word, term.plain, term.languages)
            terms.append(found)
        return terms

    def frequencies(self) -> dict[str, int]:
        """In how many chunks each word of the query is, in the form that it has there."""
        found = dict.fromkeys((term.word for term in self._query.terms), 0)
        for segment in self._view.segments:
            for word in found:
                if (page := self._page(segment, word)) is None:
                    continue
                if segment.live is None:
                    found[word] += page.frequency(word)
                elif (postings := page.postings(word)) is not None:
                    found[word] += int(np.count_nonzero(segment.live[postings.places]))
        return found

    def joined(self) -> list[tuple[MatchedTerm, frozenset[int]]]:
        found = ((self._term(term.form, (term.form,)), term.words) for term in self._query.joined)
        return [(term, words) for term, words in found if term.frequency]

    def phrases(self) -> list[MatchedTerm]:
        return [self._phrase(phrase) for phrase in self._query.phrases]

    def marked(self, marker: str) -> dict[int, Places]:
        """The places of the chunks with a marker, by segment."""
        return {
            segment.segment_id: _live(segment, _merged([postings])).places
            for segment in self._view.segments
            if (postings := self._postings(segment, marker)) is not None
        }

    def _term(
        self, word: str, forms: Sequence[str], languages: Mapping[str, frozenset[str]] = NO_RESTRICTIONS
    ) -> MatchedTerm:
        by_segment: dict[int, LivePostings] = {}
        for segment in self._view.segments:
            found = [
                self._in_languages(segment, postings, languages[form]) if form in languages else postings
                for form in forms
                if (postings := self._postings(segment, form)) is not None
            ]
            if found:
                by_segment[segment.segment_id] = _live(segment, _merged(found))
        return self._matched(word, by_segment)

    def _in_languages(
        self, segment: LiveSegment, postings: Postings, languages: frozenset[str]
    ) -> LivePostings:
        """The postings in chunks of these languages, and of languages in which the query was not analyzed."""
        header = segment.header
        matching = np.array(
            [code in languages or code not in self._query.languages for code in header.languages], np.bool_
        )
        kept = matching[header.language_of[postings.places]]
        return LivePostings(postings.places[kept], postings.counts[kept].astype(np.float32))

    def _matched(self, word: str, by_segment: Mapping[int, LivePostings]) -> MatchedTerm:
        frequency = sum(len(postings.places) for postings in by_segment.values())
        idf = inverse_document_frequency(self._view.chunks, frequency)
        return MatchedTerm(word, idf, frequency, by_segment)

    def _postings(self, segment: LiveSegment, form: str) -> Postings | None:
        page = self._page(segment, form)
        return None if page is None else page.postings(form)

    def _page(self, segment: LiveSegment, form: str) -> Page | None:
        key = self._page_of.get((segment.segment_id, form))
        return None if key is None else self._pages.get(key)

    def _phrase(self, phrase: PhraseTerm) -> MatchedTerm:
        keys = {
            key
            for segment in self._view.segments
            for word in phrase.forms
            for form in word
            if (key := self._page_of.get((segment.segment_id, form))) is not None
        }
        positions = self._library.positions(self._tx, keys)
        by_segment: dict[int, LivePostings] = {}
        for segment in self._view.segments:
            starts = self._phrase_starts(segment, phrase, positions)
            if len(starts):
                places, counts = np.unique(starts >> 16, return_counts=True)
                postings = LivePostings(places.astype(np.uint32), counts.astype(np.float32))
                by_segment[segment.segment_id] = _live(segment, postings)
        return self._matched(" ".join(phrase.words), by_segment)

    def _phrase_starts(
        self, segment: LiveSegment, phrase: PhraseTerm, positions: Mapping[tuple[int, int], Positions]
    ) -> Numbers:
        """The starts of the phrase as place * 65536 + position."""
        starts: Numbers | None = None
        for offset, forms in enumerate(phrase.forms):
            found: list[Numbers] = []
            for form in forms:
                page = self._page(segment, form)
                postings = None if page is None else page.postings(form)
                if page is None or postings is None:
                    continue
                at = page.positions(form, positions[self._page_of[segment.segment_id, form]])
                places = np.repeat(postings.places.astype(np.int64), postings.counts)
                # The first positions of a text have no word `offset` places before them.
                found.append(((places << 16) + at)[at >= offset] - offset)
            here = np.unique(np.concatenate(found)) if found else np.zeros(0, np.int64)
            starts = here if starts is None else np.intersect1d(starts, here, assume_unique=True)
            if not len(starts):
                break
        return np.zeros(0, np.int64) if starts is None else starts


def _merged(found: Sequence[Postings | LivePostings]) -> LivePostings:
    if len(found) == 1:
        return LivePostings(found[0].places, found[0].counts.astype(np.float32))
    places = np.concatenate([postings.places for postings in found])
    counts = np.concatenate([postings.counts for postings in found]).astype(np.float32)
    unique, inverse = np.unique(places.astype(np.uint32), return_inverse=True)
    return LivePostings(unique, np.bincount(inverse, counts).astype(np.float32))


def _live(segment: LiveSegment, postings: LivePostings) -> LivePostings:
    if segment.live is None:
        return postings
    kept = segment.live[postings.places]
    return LivePostings(postings.places[kept], postings.counts[kept])
