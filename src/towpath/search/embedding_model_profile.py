"""Describes an embedding model for score fusion: its weight, its noise and its languages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from towpath.providers.contract import Embedder
from towpath.text.language_detection import detect_language

#: For models that were not measured.
DEFAULT_WEIGHT = 0.3
DEFAULT_NOISE = 0.25
#: The weight of a model that does not know the language of the query, as a share of its usual weight.
UNKNOWN_LANGUAGE_FACTOR = 0.25


@dataclass(frozen=True, slots=True)
class ModelProfile:
    #: The share of the similarity in the fused score.
    weight: float = DEFAULT_WEIGHT
    #: A cosine below this says nothing: unrelated texts reach it.
    noise_similarity: float = DEFAULT_NOISE
    #: ISO 639-1 codes; None if the model knows every language.
    languages: frozenset[str] | None = None

    @classmethod
    def of(cls, embedder: Embedder, weight: float | None = None) -> ModelProfile:
        """The profile that is stored with the embedder; a ``weight`` of the settings overrides its own."""
        languages = getattr(embedder, "languages", None)
        own_weight = getattr(embedder, "fusion_weight", None)
        noise = getattr(embedder, "noise_similarity", None)
        return cls(
            weight if weight is not None else DEFAULT_WEIGHT if own_weight is None else float(own_weight),
            DEFAULT_NOISE if noise is None else float(noise),
            None if languages is None else frozenset(languages),
        )

    def weight_for(self, language: str | None) -> float:
        """The weight for a query in this language; None if the language is not known."""
        if language is None or self.languages is None or language in self.languages:
            return self.weight
        return self.weight * UNKNOWN_LANGUAGE_FACTOR


def query_language(text: str, library: Sequence[str]) -> str | None:
    """The language of a query; if it is too short to say, that of the library if it has only one."""
    guess = detect_language(text, library[0] if len(library) == 1 else None)
    return guess.code if guess else None
