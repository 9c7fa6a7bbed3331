"""The features of a pair of passages, by name: the input of the logistic regression in `scoring.py`.

All of them are symmetric and comparable across embedding models and library sizes: a similarity counts from the
mean similarity of the two passages' neighbours (CSLS) towards 1, and the weight of a term depends on the share of
the library's chunks that contain it.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from towpath.connections.passage_text import analyze, contained_share
from towpath.model.writes import ChunkProfile
from towpath.text.common_english_words import COMMON_WORDS, CONTRACTION_STUMPS

#: Chunks that every library is assumed to have besides its own, so that terms have weights in a small one.
PRIOR_CHUNKS = 500
#: The share of those chunks that contain a common word, and any other word.
COMMON_SHARE, OTHER_SHARE = 0.02, 0.0005
#: Terms rarer than this are equally rare: the labelled libraries have about 500 chunks.
MIN_SHARE = 0.002
#: A term in at most this share of the chunks is rare.
RARE_SHARE = 0.02
RARE_WEIGHT = -math.log(RARE_SHARE)
#: More shared names are no better evidence: they belong to the same list.
MAX_NAMES = 3
#: Prose has at least this share of function words.
PROSE_SHARE = 0.25
#: A passage with fewer words is short: what it shares with another is often all that it says, or a set phrase.
SHORT_WORDS = 50
#: More shared identifiers are no better evidence: they belong to the same list.
MAX_IDENTIFIERS = 3
#: Passages with a smaller overlap of terms have no common text worth looking for.
MIN_QUOTED_OVERLAP = 0.2
#: Added to the overlap before its logarithm is taken: no overlap is then not infinitely far from a small one.
OVERLAP_OFFSET = 0.02
#: In a library of look-alikes the neighbours have a cosine of nearly 1: a smaller distance to 1 is noise.
MIN_NEIGHBOUR_DISTANCE = 0.05


@dataclass(frozen=True, slots=True)
class TermCounts:
    """How many chunks of the library contain a term. A term that was not counted is taken for rare."""

    chunks: int
    counts: Mapping[str, int]
    #: Known weights: a term is in many pairs.
    _weights: dict[str, float] = field(
        default_factory=dict[str, float], init=False, repr=False, compare=False
    )

    def share(self, term: str) -> float:
        prior = COMMON_SHARE if term in COMMON_WORDS else OTHER_SHARE
        return (self.counts.get(term, 1) + PRIOR_CHUNKS * prior) / (self.chunks + PRIOR_CHUNKS)

    def weight(self, term: str) -> float:
        if (known := self._weights.get(term)) is not None:
            return known
        share = min(1.0, max(MIN_SHARE, self.share(term)))
        weight = self._weights[term] = 0.0 if term in CONTRACTION_STUMPS else -math.log(share)
        return weight

    def weigh(self, terms: Iterable[str]) -> dict[str, float]:
        known = self._weights
        return {term: known[term] if term in known else self.weight(term) for term in terms}

    def norm(self, text: str) -> float:
        """The length of the text's vector of term weights."""
        terms = analyze(text).terms
        return math.sqrt(sum((weight * terms[term]) ** 2 for term, weight in self.weigh(terms).items()))


def csls(cosine: float, one: float, other: float) -> float:
    """Cross-domain similarity local scaling: 0 at the similarity of the neighbours, 1 for the same vector."""
    neighbours = (one + other) / 2
    return (cosine - neighbours) / max(MIN_NEIGHBOUR_DISTANCE, 1.0 - neighbours)


class PairFeatures:
    """The features of one pair. Most pairs have too little in common, so each part is computed when it is needed."""

    def __init__(
        self,
        texts: tuple[str, str],
        profiles: tuple[ChunkProfile, ChunkProfile],
        cosine: float,
        counts: TermCounts,
    ) -> None:
        self.texts = texts
        self.profiles = profiles
        self._cosine, self._counts = cosine, counts
        self.passages = analyze(texts[0]), analyze(texts[1])
        self.similarity = csls(cosine, *(profile.neighbour_similarity for profile in profiles))
        one, other = self.passages
        #: The weights of the shared terms: high for rare ones.
        self.shared_terms = counts.weigh(term for term in one.terms if term in other.terms)

    def of_texts(self, one: str, other: str) -> PairFeatures:
        """The features of parts of the passages, with the profiles and the cosine of the whole ones."""
        if (one, other) == self.texts:
            return self
        return PairFeatures((one, other), self.profiles, self._cosine, self._counts)

    @cached_property
    def rare_terms(self) -> int:
        """The number of rare shared terms. A word that is common in the language says little even where it is rare."""
        return sum(
            weight >= RARE_WEIGHT and term not in COMMON_WORDS for term, weight in self.shared_terms.items()
        )

    @cached_property
    def second_rarest_term(self) -> float:
        """The weight of the second rarest shared term, common words left out: one rare term may be an accident."""
        weights = (weight for term, weight in self.shared_terms.items() if term not in COMMON_WORDS)
        return ([*heapq.nlargest(2, weights), 0.0, 0.0])[1]

    @cached_property
    def shared_names(self) -> int:
        one, other = self.passages
        return min(MAX_NAMES, len(one.names & other.names))

    @cached_property
    def shared_identifiers(self) -> Sequence[str]:
        one, other = self.passages
        return [key for key in one.identifiers if key in other.identifiers]

    @cached_property
    def overlap(self) -> float:
        """The cosine of the term weights."""
        one, other = (passage.terms for passage in self.passages)
        product = sum(weight * weight * one[term] * other[term] for term, weight in self.shared_terms.items())
        return product / (math.prod(profile.term_norm for profile in self.profiles) or 1.0)

    @cached_property
    def quoted_share(self) -> float:
        return contained_share(*self.texts) if self.overlap >= MIN_QUOTED_OVERLAP else 0.0

    @cached_property
    def contents_share(self) -> float:
        return max(passage.contents_share for passage in self.passages)

    @cached_property
    def values(self) -> Mapping[str, float]:
        """The features by name."""
        one, other = self.passages
        shorter, longer = sorted((max(1, one.words), max(1, other.words)))
        return {
            "similarity": self.similarity,
            "term_overlap": math.log(self.overlap + OVERLAP_OFFSET),
            "second_rarest_term": self.second_rarest_term,
            "shared_names": float(self.shared_names),
            "shared_identifiers": float(min(MAX_IDENTIFIERS, len(self.shared_identifiers))),
            "quoted_share": self.quoted_share,
            "shortness": max(0.0, math.log(SHORT_WORDS / shorter)),
            "length_ratio": math.log(longer / shorter),
            "not_prose": max(0.0, PROSE_SHARE - min(one.prose_share, other.prose_share)),
            "contents_page": self.contents_share,
            "copies": math.log1p(max(profile.copies for profile in self.profiles)),
        }
