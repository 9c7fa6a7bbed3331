"""Stems words with Snowball, so that "invoices" finds "invoice", for every language that Snowball has."""

from __future__ import annotations

import threading
from functools import lru_cache
from typing import Any, Protocol, cast

import Stemmer

from towpath.text.word_tokenizer import fold, script_of

#: Snowball's name of each language by its ISO 639-1 code.
ALGORITHMS = {
    "ar": "arabic", "ca": "catalan", "cs": "czech", "da": "danish", "de": "german", "el": "greek",
    "en": "english", "eo": "esperanto", "es": "spanish", "et": "estonian", "eu": "basque", "fa": "persian",
    "fi": "finnish", "fr": "french", "ga": "irish", "hi": "hindi", "hu": "hungarian", "hy": "armenian",
    "id": "indonesian", "it": "italian", "lt": "lithuanian", "ne": "nepali", "nl": "dutch",
    "no": "norwegian", "pl": "polish", "pt": "portuguese", "ro": "romanian", "ru": "russian",
    "sr": "serbian", "sv": "swedish", "ta": "tamil", "tr": "turkish",
    "yi": "yiddish",
}  # fmt: skip

#: The language whose stemmer is used if the language of a text is not known.
DEFAULT_LANGUAGES = {
    "latin": "en",
    "cyrillic": "ru",
    "greek": "el",
    "arabic": "ar",
    "devanagari": "hi",
    "armenian": "hy",
    "tamil": "ta",
}

#: The scripts of languages that are not written in Latin letters; "other" for those without endings to remove.
SCRIPTS = {
    **dict.fromkeys(("be", "bg", "kk", "mk", "mn", "ru", "uk"), "cyrillic"),
    **dict.fromkeys(("ar", "fa", "ur"), "arabic"),
    **dict.fromkeys(("hi", "mr", "ne"), "devanagari"),
    **dict.fromkeys(
        ("bn", "gu", "ja", "ka", "km", "kn", "ko", "lo", "ml", "my", "pa", "te", "th", "zh"), "other"
    ),
    **dict.fromkeys(("he", "yi"), "hebrew"),
    "el": "greek",
    "hy": "armenian",
    "ta": "tamil",
}

_stemmers = threading.local()


class SnowballStemmer(Protocol):
    def stemWord(self, word: str) -> str: ...


@lru_cache(maxsize=200_000)
def stem(word: str, language: str | None = None) -> str:
    """The stem of a folded or unfolded word. Without a language, that of the most frequent one of its script."""
    lower = lower_case(word, language)
    script = script_of(lower)
    if script is None:
        return lower
    if language is None or not _is_written_in(language, script):
        language = DEFAULT_LANGUAGES.get(script, "")
    algorithm = ALGORITHMS.get(language)
    return lower if algorithm is None else _stemmer(algorithm).stemWord(lower)


def stems_of(word: str, languages: tuple[str, ...]) -> tuple[str, ...]:
    """The different stems of a word in several languages, without repetition."""
    return tuple(dict.fromkeys(stem(word, language) for language in languages))


def lower_case(word: str, language: str | None = None) -> str:
    """Lower case by the rules of the language: Turkish has a dotted and a dotless i."""
    if language in ("tr", "az"):
        word = word.replace("I", "ı").replace("İ", "i")
    return fold(word)


def _is_written_in(language: str, script: str) -> bool:
    """Whether words of the script belong to the language: an English name in a Russian text is stemmed as an
    English word."""
    return SCRIPTS.get(language, "latin") == script or (language, script) == ("sr", "cyrillic")


def snowball(algorithm: str) -> SnowballStemmer:
    """A new stemmer of PyStemmer, which has no types."""
    stemmer: Any = cast("Any", Stemmer).Stemmer(algorithm)
    stemmer.maxCacheSize = 0
    return stemmer


def _stemmer(algorithm: str) -> SnowballStemmer:
    """A stemmer of this thread: they cannot be shared by threads."""
    stemmer: SnowballStemmer | None = getattr(_stemmers, algorithm, None)
    if stemmer is None:
        stemmer = snowball(algorithm)
        setattr(_stemmers, algorithm, stemmer)
    return stemmer
