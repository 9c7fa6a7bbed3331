"""Fuses the scores of words and of vectors into one order.

Both scores are normalised over the candidates of the query (the best of both lists, with the true scores of both
for each of them) and added with the weight of the embedding model. If no chunk covers half of the query's words, the
words say little, as in a question whose language the texts do not have: then their share is reduced.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, replace

from towpath.search.contract import RankedChunk

#: From this share of the query's weight that one chunk covers, word scores count fully.
FULL_COVERAGE = 0.5
#: A chunk in another language than the query cannot have its words. Its score by words is at least this share of its
#: normalised similarity. Measured: see docs/why/.
OTHER_LANGUAGE_SHARE = 0.5
#: Factor of the similarity of contents pages and indexes.
REDUCTION = 0.5


@dataclass(frozen=True, slots=True)
class FusedChunk:
    """A chunk with its fused score and the parts of it."""

    chunk_rowid: int
    score: float
    word_score: float
    word_score_normalised: float
    similarity: float | None
    similarity_normalised: float
    #: The mean score of the nearest candidates of other documents.
    neighbour_score: float = 0.0
    #: From 0 to 1: how much of the letters of the query its text has.
    ngram_score: float = 0.0


def coverage_factor(max_coverage: float) -> float:
    return min(1.0, max_coverage / FULL_COVERAGE)


def fuse(
    word_scores: Mapping[int, float],
    similarities: Mapping[int, float],
    *,
    weight: float,
    coverage: float,
    bonus: Mapping[int, float] | None = None,
    reduced: Set[int] = frozenset(),
    ngrams: Mapping[int, float] | None = None,
    ngram_share: float = 0.0,
    other_language: Set[int] = frozenset(),
) -> list[FusedChunk]:
    """Best first; ties are broken by row id. ``weight`` is the share of the similarity, ``coverage`` the factor of
    the words, ``bonus`` is added to the scores of some chunks. The similarity of ``reduced`` chunks counts half, as
    their word score does already. ``ngrams`` has the scores of some texts by their letters, and ``ngram_share`` is
    their share in the score of the words. Chunks in an ``other_language`` than the query have a share of their
    similarity for the words that they cannot have."""
    numbers = sorted({*word_scores, *similarities})
    words = _normalised([word_scores.get(number, 0.0) for number in numbers])
    letters = _normalised([(ngrams or {}).get(number, 0.0) for number in numbers])
    lexical = words
    if ngrams and ngram_share:
        lexical = _normalised(
            [
                (1 - ngram_share) * word + ngram_share * letter * (REDUCTION if number in reduced else 1.0)
                for number, word, letter in zip(numbers, words, letters, strict=True)
            ]
        )
    # A chunk without a vector is as far away as the farthest candidate.
    lowest = min(similarities.values(), default=0.0)
    meaning = _normalised([similarities.get(number, lowest) for number in numbers])
    fused = [
        FusedChunk(
            number,
            weight * similar * (REDUCTION if number in reduced else 1.0)
            + (1 - weight)
            * max(
                coverage * exact_and_alike,
                OTHER_LANGUAGE_SHARE * similar if number in other_language else 0.0,
            )
            + (bonus or {}).get(number, 0.0),
            word_scores.get(number, 0.0),
            word,
            similarities.get(number),
            similar,
            ngram_score=letter,
        )
        for number, word, letter, exact_and_alike, similar in zip(
            numbers, words, letters, lexical, meaning, strict=True
        )
    ]
    return sorted(fused, key=lambda chunk: (-chunk.score, chunk.chunk_rowid))


def promote(first: Sequence[int], rest: Sequence[FusedChunk]) -> list[FusedChunk]:
    """Puts the chunks with these row ids before the others, in the order that they have, with higher scores."""
    rowids = set(first)
    top = rest[0].score if rest else 0.0
    promoted = [replace(chunk, score=chunk.score + top) for chunk in rest if chunk.chunk_rowid in rowids]
    return promoted + [chunk for chunk in rest if chunk.chunk_rowid not in rowids]


def by_words_only(ranked: Sequence[RankedChunk]) -> list[FusedChunk]:
    """The order of the words, when there are no vectors."""
    normalised = _normalised([0.0, *(chunk.score for chunk in ranked)])[1:]
    return [
        FusedChunk(chunk.chunk_rowid, chunk.score, chunk.score, word, None, 0.0)
        for chunk, word in zip(ranked, normalised, strict=True)
    ]


def _normalised(values: Sequence[float]) -> list[float]:
    """The values mapped to 0 … 1; all 1 if they are equal and positive."""
    low, high = min(values, default=0.0), max(values, default=0.0)
    if high <= low:
        return [1.0 if high > 0 else 0.0] * len(values)
    return [(value - low) / (high - low) for value in values]
