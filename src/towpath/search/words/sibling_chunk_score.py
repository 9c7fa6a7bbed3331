"""Raises the score of a chunk for words of the query that other chunks of its document have.

A document is cut into chunks by length, so the words that belong to an answer may be in two of them: the name in one,
the detail in the next. Each content word therefore also counts by its mean count in the other chunks of the document.
In a long document this mean is near to 0: a book adds nothing to its chunks.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from towpath.search.words.postings_reader import LivePostings, MatchedTerm
from towpath.search.words.query_terms import WordQuery
from towpath.text.word_index_segment import Header

#: What the mean count of a word in the other chunks of the document adds to its count. Measured: see docs/why/.
SHARE = 0.25
#: The best chunks of a segment, to which it is added.
CANDIDATES = 300
#: A word that is in a larger share of the chunks says nothing about a document.
MAX_FREQUENCY_SHARE = 0.25

Scores = npt.NDArray[np.float32]
Integers = npt.NDArray[np.int64]

#: The postings of a word in the segment, and the factor of its score.
WeightedPostings = tuple[LivePostings, float]


def content_words(
    query: WordQuery, terms: Sequence[MatchedTerm], chunks: int
) -> list[tuple[MatchedTerm, float]]:
    """The words that say something about a document, each with the factor of its score."""
    return [
        (term, word.weight * term.idf)
        for word, term in zip(query.terms, terms, strict=True)
        if not word.is_function_word and term.frequency <= MAX_FREQUENCY_SHARE * chunks
    ]


def add_context(
    header: Header,
    scores: Scores,
    matching: Integers,
    words: Sequence[WeightedPostings],
    norms: Scores,
    k1: float,
) -> None:
    """Raise the scores of the best of the ``matching`` places. ``norms`` are those of BM25 for each place."""
    places = _best(scores, matching)
    sizes = header.chunks_of_document
    places = places[sizes[header.document_of[places]] > 1]
    if not len(places) or not words:
        return
    documents, codes = np.unique(header.document_of[places], return_inverse=True)
    code_of = np.full(len(sizes), -1, np.int64)
    code_of[documents] = np.arange(len(documents))
    others = (sizes[documents] - 1)[codes]
    norm = norms[places]
    added = np.zeros(len(places))
    for postings, factor in words:
        code = code_of[header.document_of[postings.places]]
        known = code >= 0
        total = np.bincount(code[known], postings.counts[known], minlength=len(documents))[codes]
        own = _counts_at(postings, places)
        more = own + SHARE * (total - own) / others
        added += factor * (k1 + 1) * (more / (more + norm) - own / (own + norm))
    scores[places] += added.astype(np.float32)


def _best(scores: Scores, matching: Integers) -> Integers:
    if len(matching) <= CANDIDATES:
        return matching
    values = scores[matching]
    return matching[values >= np.partition(values, -CANDIDATES)[-CANDIDATES]]


def _counts_at(postings: LivePostings, places: Integers) -> npt.NDArray[np.float32]:
    """How often each of the places has the word."""
    at = np.minimum(np.searchsorted(postings.places, places), len(postings.places) - 1)
    return np.where(postings.places[at] == places, postings.counts[at], np.float32(0))
