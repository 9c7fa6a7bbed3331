"""Scores a pair of passages: rules, then a logistic regression whose coefficients are in `model.json`.

The coefficients were trained on labelled pairs (`python -m bench connections --train`); the score is the probability
that the passages belong together.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files

from towpath.connections.features import PairFeatures
from towpath.connections.store import ConnectionKind
from towpath.text.common_english_words import COMMON_WORDS, CONTRACTION_STUMPS
from towpath.text.common_substrings import common_substrings
from towpath.text.word_tokenizer import is_unsegmented

#: A shorter passage, mostly a heading, is connected by an identifier only.
MIN_WORDS = 12
#: A passage with a smaller share of function words is a table, a list or code.
MIN_PROSE_SHARE = 0.22
MAX_CONTENTS_SHARE = 0.6
#: Text that recurs in more other documents is boilerplate.
MAX_COPIES = 4
#: Evidence: this many rare shared terms, or an identifier, or a similarity that is clear by itself.
MIN_RARE_TERMS = 2
CLEAR_SIMILARITY = 0.5
#: From this shared text on, a passage quotes the other.
MIN_QUOTED_SHARE = 0.3
MAX_SHARED_TERMS = 5


@dataclass(frozen=True, slots=True)
class Model:
    """The coefficients of a logistic regression, by feature, for one embedding model."""

    intercept: float
    coefficients: Mapping[str, float]
    #: Pairs with at least this probability are connections.
    min_probability: float
    #: The mean cosine of unrelated passages: stands for the neighbours that a small library lacks.
    unrelated_similarity: float

    def probability(self, features: PairFeatures) -> float:
        score = self.intercept + sum(
            coefficient * features.values[name] for name, coefficient in self.coefficients.items()
        )
        return 1.0 / (1.0 + math.exp(-max(-60.0, min(60.0, score))))


@lru_cache(maxsize=16)
def load_model(embedding_model: str) -> Model:
    """The coefficients for vectors of this embedding model; those of `other` for one that was not measured."""
    stored = json.loads(files("towpath.connections").joinpath("model.json").read_text(encoding="utf-8"))
    trained = stored["models"].get(embedding_model, stored["models"]["other"])
    unrelated = stored["unrelated_similarity"]
    return Model(
        trained["intercept"],
        trained["coefficients"],
        trained["min_probability"],
        unrelated.get(embedding_model, unrelated["other"]),
    )


def is_eligible(features: PairFeatures) -> bool:
    """The rules that hold whatever the probability is."""
    has_evidence = (
        features.rare_terms >= MIN_RARE_TERMS
        or features.similarity >= CLEAR_SIMILARITY
        or bool(features.shared_identifiers)
    )
    return (
        has_evidence
        and max(profile.copies for profile in features.profiles) <= MAX_COPIES
        and min(passage.prose_share for passage in features.passages) >= MIN_PROSE_SHARE
        and features.contents_share < MAX_CONTENTS_SHARE
        and not any(passage.is_licence for passage in features.passages)
        and (
            features.quoted_share >= MIN_QUOTED_SHARE
            or not all(passage.is_standard_clause for passage in features.passages)
        )
        and (
            min(passage.words for passage in features.passages) >= MIN_WORDS
            or bool(features.shared_identifiers)
        )
    )


def kind_of(features: PairFeatures) -> ConnectionKind:
    if features.quoted_share >= MIN_QUOTED_SHARE:
        return "quotation"
    return "same_entity" if features.shared_identifiers else "same_subject"


def spelled_terms(features: PairFeatures) -> list[str]:
    """The shared terms for the reader: content words in their shortest spelling, the rarest first."""
    one, other = features.passages
    weights = features.shared_terms
    content = sorted(
        (term for term in weights.keys() - COMMON_WORDS - CONTRACTION_STUMPS if not term.isdecimal()),
        key=lambda term: (-weights[term], term),
    )
    rarest = [term for term in content if not is_unsegmented(term)][:MAX_SHARED_TERMS]
    words = [min(one.spellings[term], other.spellings[term]) for term in rarest]
    if len(words) < min(len(content), MAX_SHARED_TERMS):
        words += sorted(common_substrings(*features.texts), key=lambda part: (-len(part), part))
    return words[:MAX_SHARED_TERMS]
