"""Detects the language of a text; the answer may be "not sure".

py3langid was chosen by measuring three detectors on short texts: see docs/why/ on search.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple, Protocol, cast

import numpy as np
import numpy.typing as npt
from py3langid.langid import MODEL_FILE, LanguageIdentifier

#: Characters that are looked at. More do not change the answer and cost time (0.4 ms for 500).
MAX_LENGTH = 500
#: Below this probability the answer is "not sure"; of short texts above it 94 of 100 are right.
MIN_CONFIDENCE = 0.5
#: A passage keeps the language of its document unless it differs with at least this probability.
MIN_CONFIDENCE_AGAINST_PRIOR = 0.9

#: The languages that are told apart, and `zxx` (no language). Rare ones that resemble frequent ones are left out:
#: of short English texts a seventh would be taken for one of them.
LANGUAGES = (
    "af ar az be bg bn bs ca cs cy da de el en eo es et eu fa fi fr ga gl gu he hi hr hu hy id is it ja ka kk km kn "
    "ko lo lt lv mk ml mn mr ms my ne nl nn no pa pl pt ro ru sk sl sq sr sv sw ta te th tl tr uk ur uz vi zh zxx"
)
#: Variants of one written language.
_SAME = {"nn": "no"}
_NO_LANGUAGE = "zxx"
_NO_TEXT = re.compile(r"[\W\d_]+")


class LanguageGuess(NamedTuple):
    """An ISO 639-1 code and its probability."""

    code: str
    confidence: float


class _Identifier(Protocol):
    nb_ptc: npt.NDArray[np.float16]

    def rank(self, text: str) -> Sequence[tuple[str, float]]: ...
    def set_languages(self, langs: Sequence[str]) -> None: ...


def detect_language(text: str, prior: str | None = None) -> LanguageGuess | None:
    """The language of a text; None if it is not sure. ``prior`` is the language of the whole document."""
    guess = _detect(text[:MAX_LENGTH])
    if guess is not None and (
        guess.code == prior
        or guess.confidence >= (MIN_CONFIDENCE if prior is None else MIN_CONFIDENCE_AGAINST_PRIOR)
    ):
        return guess
    return None if prior is None else LanguageGuess(prior, 0.0 if guess is None else guess.confidence)


def likely_language(text: str) -> str | None:
    """The most probable language of a text, however short it is; None if it has no letters."""
    guess = _detect(text[:MAX_LENGTH])
    return guess.code if guess else None


@lru_cache(maxsize=4_096)
def _detect(text: str) -> LanguageGuess | None:
    letters = _NO_TEXT.sub(" ", text).strip()
    if len(letters) < 2:
        return None
    code, confidence = _identifier().rank(letters)[0]
    return None if code == _NO_LANGUAGE else LanguageGuess(_SAME.get(code, code), confidence)


@lru_cache(maxsize=1)
def _identifier() -> _Identifier:
    identifier = cast(_Identifier, LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True))
    identifier.set_languages(LANGUAGES.split())
    # The table is stored by column, and each feature of a text is a row of it.
    identifier.nb_ptc = np.ascontiguousarray(identifier.nb_ptc)
    return identifier
