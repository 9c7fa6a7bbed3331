"""How much of a query each of its terms is, and how much of it a hit has at least."""

from __future__ import annotations

from collections.abc import Sequence

from towpath.search.words.postings_reader import MatchedTerm
from towpath.search.words.query_terms import WordQuery
from towpath.text.word_tokenizer import is_unsegmented

#: In a query of at least this many pairs of letters, and no words, a hit covers more than this share of their
#: weight, or than so many of its rarest pairs.
MIN_PAIRS = 3
MIN_PAIR_COVERAGE = 0.2
MIN_PAIR_WEIGHT = 1.5


def coverage_weights(
    query: WordQuery, terms: Sequence[MatchedTerm], phrases: Sequence[MatchedTerm]
) -> list[float]:
    """How much of the query each term covers: by rarity; function words cover nothing if there are others."""
    content = [
        not term.is_function_word and not _joins_words(terms, place) for place, term in enumerate(query.terms)
    ]
    if not any(content) and not phrases:
        content = [True] * len(content)
    words = [term.idf if counts else 0.0 for term, counts in zip(terms, content, strict=True)]
    return words + [term.idf for term in phrases]


def _joins_words(terms: Sequence[MatchedTerm], place: int) -> bool:
    """Whether a pair of letters is in no chunk, but those before and after it are: it joins two words."""
    if not 0 < place < len(terms) - 1 or terms[place].frequency or not is_unsegmented(terms[place].word):
        return False
    before, pair, after = (term.word for term in terms[place - 1 : place + 2])
    return bool(
        terms[place - 1].frequency
        and terms[place + 1].frequency
        and before[-1:] == pair[:1]
        and pair[-1:] == after[:1]
    )


def least_coverage(query: WordQuery, covers: Sequence[float]) -> float:
    """What a hit covers at least. Where words are not separated, a single pair of letters is no word."""
    if (
        query.phrases
        or len(query.terms) < MIN_PAIRS
        or not all(is_unsegmented(term.word) for term in query.terms)
    ):
        return 0.0
    mass = sum(covers)
    return min(MIN_PAIR_COVERAGE, MIN_PAIR_WEIGHT * max(covers) / mass) if mass else 0.0
