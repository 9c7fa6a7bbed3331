"""Describes an embedding model for score fusion: its weight, its noise and its languages."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from math import inf

from towpath.providers.contract import Embedder
from towpath.text.function_words import FOREIGN, QUESTION_WORDS
from towpath.text.language_detection import detect_language
from towpath.text.stopwords import STOPWORDS
from towpath.text.word_tokenizer import is_unsegmented, word_list

_FUNCTION_WORDS = STOPWORDS | FOREIGN | QUESTION_WORDS
#: Where words are not separated: frequent function words and endings of Chinese, Japanese, Korean and Thai.
_UNSEGMENTED_FUNCTION_WORDS = re.compile(
    "[的是了在有和不么什谁哪吗呢几何]|多少|如何|"
    "[のはがをにでと]|です|ます|から|まで|どこ|だれ|いつ|なぜ|"
    "[은는이가을를의에]|무엇|어디|누구|언제|어떻|얼마|"
    "คือ|อะไร|ที่|ใน|ของ|และ|เป็น|ไหน|ใคร|เมื่อ|อย่างไร|ทำไม|เท่า"
)

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
    #: The same for a question of real words, of which the library has none. Usually it has another language.
    question_noise_similarity: float = DEFAULT_NOISE
    #: ISO 639-1 codes; None if the model knows every language.
    languages: frozenset[str] | None = None

    @classmethod
    def of(cls, embedder: Embedder, weight: float | None = None) -> ModelProfile:
        """The profile that is stored with the embedder; a ``weight`` of the settings overrides its own."""
        languages = getattr(embedder, "languages", None)
        own_weight = getattr(embedder, "fusion_weight", None)
        noise = getattr(embedder, "noise_similarity", None)
        noise = DEFAULT_NOISE if noise is None else float(noise)
        return cls(
            weight if weight is not None else DEFAULT_WEIGHT if own_weight is None else float(own_weight),
            noise,
            float(getattr(embedder, "question_noise_similarity", noise)),
            None if languages is None else frozenset(languages),
        )

    def weight_for(self, language: str | None) -> float:
        """The weight for a query in this language; None if the language is not known."""
        return self.weight if self.may_know(language) else self.weight * UNKNOWN_LANGUAGE_FACTOR

    def may_know(self, language: str | None) -> bool:
        """Whether the model knows a language; true if the language is not known."""
        return language is None or self.languages is None or language in self.languages

    def noise_for(self, text: str, language: str | None, coverage: float) -> float:
        """The least similarity of a hit that only the vector knows; no similarity is enough if the model does not
        know the language, because it takes all texts in an unknown script for similar ones.

        The similarity of a question and its answer in another language is lower. Such a question has function
        words, which invented words have not, and the library has few of its words: ``coverage`` is near to 0.
        """
        if not self.may_know(language):
            return inf
        if (language is None and self.languages is not None) or not is_question(text):
            return self.noise_similarity
        return self.noise_similarity - (1.0 - coverage) * (
            self.noise_similarity - self.question_noise_similarity
        )


def is_question(text: str) -> bool:
    """Whether a text has function words of a known language."""
    found = word_list(text.lower())
    return any(
        word in _FUNCTION_WORDS
        or (is_unsegmented(word) and _UNSEGMENTED_FUNCTION_WORDS.search(word) is not None)
        for word in found
    )


def query_language(text: str, library: Sequence[str]) -> str | None:
    """The language of a query; if it is too short to say, that of the library if it has only one."""
    guess = detect_language(text, library[0] if len(library) == 1 else None)
    return guess.code if guess else None
