"""BM25 over the word index: the same statistics and the same ranks on both engines.

The statistics are those of the organization: the number of chunks, their mean length, and in how many chunks each
term is. A word of the query in several forms (one per language of the library) counts as one term.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from towpath.ledger.database import Transaction
from towpath.search.contract import RankedChunk
from towpath.search.words.postings_reader import MatchedTerm, PostingsReader
from towpath.search.words.query_coverage import coverage_weights, least_coverage
from towpath.search.words.query_terms import FUNCTION_WORD_WEIGHT, WordQuery
from towpath.search.words.segment_cache import IndexSnapshot, LiveSegment, Mask, SegmentCache
from towpath.search.words.sibling_chunk_score import add_context, content_words
from towpath.text.index_markers import CONTENTS
from towpath.text.word_index_segment import Places

#: The usual constants of BM25: how fast repetitions of a term stop to matter, and how much long chunks are reduced.
K1 = 1.5
B = 0.75
#: Factor of the score of a table of contents or an index: it has the words of a book and answers nothing.
CONTENTS_FACTOR = 0.5

#: What counts as a query for an identifier.
MAX_IDENTIFIER_TERMS = 8
MIN_IDENTIFIER_LENGTH = 5
MAX_IDENTIFIER_FREQUENCY = 20

Scores = npt.NDArray[np.float32]
Integers = npt.NDArray[np.int64]


@dataclass(slots=True)
class _SegmentScores:
    view: LiveSegment
    scores: Scores
    #: The share of the query's weight that each chunk covers; 0 for chunks that have only function words of it.
    coverage: Scores
    allowed: Mask | None
    #: The places of contents pages.
    contents: Places | None
    #: A hit covers more than this.
    least_coverage: float = 0.0

    _matching: Integers | None = None

    def matching(self) -> Integers:
        """The places of the chunks that are hits: those with a word of the query that is no function word."""
        if self._matching is None:
            matching = (self.scores > 0) & (self.coverage > self.least_coverage)
            if self.allowed is not None:
                matching &= self.allowed
            self._matching = np.flatnonzero(matching)
        return self._matching

    def is_match(self, place: int) -> bool:
        return bool(
            self.scores[place] > 0
            and self.coverage[place] > self.least_coverage
            and (self.allowed is None or self.allowed[place])
        )


@dataclass(frozen=True, slots=True)
class WordMatches:
    """All chunks that contain words of a query, with scores; the best ones in order."""

    ranked: tuple[RankedChunk, ...]
    #: The number of chunks that match.
    total: int
    #: The largest share of the query's weight that one chunk covers; unknown words have the largest weight.
    max_coverage: float
    languages: tuple[str, ...]
    terms: tuple[MatchedTerm, ...] = ()
    #: Whether every hit must contain a quoted phrase.
    requires_phrase: bool = False
    #: First chunks of documents whose file name or title is the whole query.
    named: tuple[int, ...] = ()
    #: Words that counted as the last word of the query, which is being typed.
    completions: tuple[str, ...] = ()
    _segments: tuple[_SegmentScores, ...] = field(default=(), repr=False)
    _old_scores: Mapping[int, float] = field(default_factory=dict[int, float], repr=False)

    def with_old_hits(self, hits: Sequence[RankedChunk], depth: int) -> WordMatches:
        """With hits of documents that only the old index knows; the best of both indexes have the same score."""
        known = {hit.chunk_rowid for hit in self.ranked}
        hits = [hit for hit in hits if hit.chunk_rowid not in known]
        if not hits:
            return self
        factor = self.ranked[0].score / hits[0].score if self.ranked and hits[0].score > 0 else 1.0
        scaled = [RankedChunk(hit.chunk_rowid, hit.score * factor) for hit in hits]
        merged = sorted((*self.ranked, *scaled), key=lambda ranked: (-ranked.score, ranked.chunk_rowid))
        return replace(
            self,
            ranked=tuple(merged[:depth]),
            total=self.total + len(scaled),
            max_coverage=1.0,
            _old_scores={hit.chunk_rowid: hit.score for hit in scaled},
        )

    def deeper(self, depth: int) -> WordMatches:
        """The same matches with more of them in order."""
        if len(self.ranked) >= min(depth, self.total) or not self._segments:
            return self
        old = [RankedChunk(number, score) for number, score in self._old_scores.items()]
        merged = sorted(
            (*_best(self._segments, depth), *old), key=lambda item: (-item.score, item.chunk_rowid)
        )
        return replace(self, ranked=tuple(merged[:depth]))

    def score_of(self, number: int) -> float:
        """The BM25 score of any chunk; 0 if it has no word of the query."""
        if number in self._old_scores:
            return self._old_scores[number]
        found = self._find(number)
        return 0.0 if found is None else float(found[0].scores[found[1]])

    def coverage_of(self, number: int) -> float:
        found = self._find(number)
        return 0.0 if found is None else float(found[0].coverage[found[1]])

    def language_of(self, number: int) -> str | None:
        """The language of the chunk's text; None if it is not known."""
        found = self._find(number)
        if found is None:
            return None
        header = found[0].view.header
        return header.languages[int(header.language_of[found[1]])] or None

    def document_of(self, number: int) -> str | None:
        """The id of the chunk's document; None if only the old index knows it."""
        found = self._find(number)
        if found is None:
            return None
        header = found[0].view.header
        return header.documents[int(header.document_of[found[1]])]

    def is_contents_page(self, number: int) -> bool:
        if all(segment.contents is None for segment in self._segments):
            return False
        found = self._find(number)
        return found is not None and found[0].contents is not None and _contains(found[0].contents, found[1])

    def has_match(self, number: int) -> bool:
        """Whether the chunk is among those that `total` counts."""
        found = self._find(number)
        return number in self._old_scores if found is None else found[0].is_match(found[1])

    def matches_in_document_of(self, number: int) -> int:
        """The number of matching chunks in the document of this chunk, this one included."""
        found = self._find(number)
        if found is None:
            return int(number in self._old_scores)
        document_of = found[0].view.header.document_of
        return int(np.count_nonzero(document_of[found[0].matching()] == document_of[found[1]]))

    def documents(self) -> Iterator[str]:
        """The ids of the documents that have matching chunks."""
        for segment in self._segments:
            header = segment.view.header
            for place in np.unique(header.document_of[segment.matching()]):
                yield header.documents[int(place)]

    def count_documents(self) -> int:
        return sum(
            len(np.unique(segment.view.header.document_of[segment.matching()])) for segment in self._segments
        )

    @property
    def unknown_words(self) -> tuple[str, ...]:
        """The words of the query that no chunk of the library has."""
        if self._old_scores:
            return ()
        words = (word for term in self.terms if not term.frequency for word in term.word.split())
        return tuple(dict.fromkeys(words))

    @property
    def has_identifier(self) -> bool:
        """Whether a rare term of a short query has digits, as the numbers of invoices, parts and accounts have."""
        known = [term for term in self.terms if term.frequency]
        return len(self.terms) <= MAX_IDENTIFIER_TERMS and any(
            len(term.word) >= MIN_IDENTIFIER_LENGTH
            and term.frequency <= MAX_IDENTIFIER_FREQUENCY
            and any(character.isdigit() for character in term.word)
            for term in known
        )

    def words_of(self, number: int) -> tuple[str, ...]:
        """The words of the query that the chunk contains."""
        found = self._find(number)
        if found is None:
            return ()
        segment, place = found
        return tuple(
            dict.fromkeys(
                term.word
                for term in self.terms
                if (postings := term.by_segment.get(segment.view.segment_id)) is not None
                and _contains(postings.places, place)
            )
        )

    def _find(self, number: int) -> tuple[_SegmentScores, int] | None:
        for segment in self._segments:
            place = _place_of(segment.view, number)
            if place is not None:
                return segment, place
        return None


NO_MATCHES = WordMatches((), 0, 0.0, ())


def search_words(
    library: SegmentCache,
    tx: Transaction,
    view: IndexSnapshot,
    query: WordQuery,
    depth: int,
    allowed: Callable[[LiveSegment], Mask | None],
) -> WordMatches:
    """The best chunks by BM25. ``allowed`` gives the chunks of a segment that pass the filters; None for all."""
    reader = PostingsReader(library, tx, view, query)
    terms, joined, phrases = reader.words(), reader.joined(), reader.phrases()
    contents = reader.marked(CONTENTS)
    repeated = {term.form: term.repeated for term in query.joined}
    covers = coverage_weights(query, terms, phrases)
    mass = sum(covers)
    least = least_coverage(query, covers)
    segments = [
        _SegmentScores(
            segment,
            np.zeros(len(segment.header.numbers), np.float32),
            np.zeros(len(segment.header.numbers), np.float32),
            allowed(segment),
            contents.get(segment.segment_id),
            least,
        )
        for segment in view.segments
        if len(segment.header.numbers)
    ]
    weights = [term.weight for term in query.terms] + [1.0] * len(phrases)
    content = content_words(query, terms, view.chunks)
    for segment in segments:
        norms = K1 * (1 - B + B * segment.view.header.lengths.astype(np.float32) / view.mean_length)
        for term, weight, cover in zip((*terms, *phrases), weights, covers, strict=True):
            _add(segment, term, weight, norms, cover=cover / mass if mass else 0.0)
        for term, covered in joined:
            _add_joined(segment, term, [terms[place] for place in repeated.get(term.word, ())], norms)
            postings = term.by_segment.get(segment.view.segment_id)
            if postings is not None:
                share = sum(covers[place] for place in covered) / mass if mass else 0.0
                segment.coverage[postings.places] = np.maximum(segment.coverage[postings.places], share)
        if query.requires_phrases:
            for phrase in phrases:
                _require(segment, phrase)
        found = [
            (postings, factor)
            for term, factor in content
            if (postings := term.by_segment.get(segment.view.segment_id)) is not None and len(postings.places)
        ]
        add_context(segment.view.header, segment.scores, segment.matching(), found, norms, K1)
        if segment.contents is not None:
            segment.scores[segment.contents] *= np.float32(CONTENTS_FACTOR)
    return WordMatches(
        _best(segments, depth),
        sum(len(segment.matching()) for segment in segments),
        max((float(segment.coverage.max()) for segment in segments), default=0.0),
        view.languages,
        (*terms, *phrases, *(term for term, _ in joined)),
        bool(phrases) and query.requires_phrases,
        _named_chunks(segments, reader.marked(query.name) if query.name else {}),
        _segments=tuple(segments),
    )


def _named_chunks(segments: Sequence[_SegmentScores], named: Mapping[int, Places]) -> tuple[int, ...]:
    """The row ids of the chunks in the scope that have the marker of a name."""
    found: list[int] = []
    for segment in segments:
        places = named.get(segment.view.segment_id)
        if places is not None:
            if segment.allowed is not None:
                places = places[segment.allowed[places]]
            found += segment.view.header.numbers[places].tolist()
    return tuple(found)


def _add(segment: _SegmentScores, term: MatchedTerm, weight: float, norms: Scores, cover: float) -> None:
    postings = term.by_segment.get(segment.view.segment_id)
    if postings is None or not len(postings.places):
        return
    counts = postings.counts
    segment.scores[postings.places] += (
        (weight * term.idf * (K1 + 1)) * counts / (counts + norms[postings.places])
    )
    if cover:
        segment.coverage[postings.places] += np.float32(cover)


def _add_joined(
    segment: _SegmentScores, term: MatchedTerm, repeated: Sequence[MatchedTerm], norms: Scores
) -> None:
    """Add the score of a joined form: as that of a function word where the chunk has the ``repeated`` words too."""
    postings = term.by_segment.get(segment.view.segment_id)
    if postings is None:
        return
    weights = np.ones(len(postings.places), np.float32)
    for word in repeated:
        other = word.by_segment.get(segment.view.segment_id)
        if other is not None:
            weights[np.isin(postings.places, other.places)] = FUNCTION_WORD_WEIGHT
    counts = postings.counts
    segment.scores[postings.places] += (
        weights * (term.idf * (K1 + 1)) * counts / (counts + norms[postings.places])
    )


def _require(segment: _SegmentScores, phrase: MatchedTerm) -> None:
    """Remove the scores of chunks without the phrase."""
    kept = np.zeros(len(segment.scores), np.bool_)
    postings = phrase.by_segment.get(segment.view.segment_id)
    if postings is not None:
        kept[postings.places] = True
    segment.scores[~kept] = 0
    segment.coverage[~kept] = 0


def _best(segments: Sequence[_SegmentScores], depth: int) -> tuple[RankedChunk, ...]:
    numbers: list[Integers] = []
    scores: list[Scores] = []
    for segment in segments:
        places = segment.matching()
        values = segment.scores[places]
        if len(places) > depth:
            threshold = np.partition(values, -depth)[-depth]
            kept = values >= threshold
            places, values = places[kept], values[kept]
        numbers.append(segment.view.header.numbers[places])
        scores.append(values)
    if not numbers:
        return ()
    all_numbers, all_scores = np.concatenate(numbers), np.concatenate(scores)
    order = np.lexsort((all_numbers, -all_scores))[:depth]
    return tuple(RankedChunk(int(all_numbers[at]), float(all_scores[at])) for at in order)


def _place_of(view: LiveSegment, number: int) -> int | None:
    numbers = view.header.numbers
    place = int(np.searchsorted(numbers, number))
    if place == len(numbers) or numbers[place] != number or (view.live is not None and not view.live[place]):
        return None
    return place


def _contains(places: Places, place: int) -> bool:
    at = int(np.searchsorted(places, place))
    return at < len(places) and int(places[at]) == place
