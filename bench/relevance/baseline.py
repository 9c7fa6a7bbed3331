"""BM25 by `bm25s` with the Snowball stemmer of the collection's language: the reference that search has to reach."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from typing import Any, cast

import bm25s

from bench.relevance.collection import Collection
from towpath.text.language_detection import detect_language
from towpath.text.stemming import ALGORITHMS, snowball

#: Languages for which bm25s has stop words; without them its word search is worse.
STOPWORDS = {"de", "en", "es", "fr", "it", "nl", "no", "pt", "ru", "sv", "tr", "zh"}
UNSEGMENTED = ("ja", "km", "lo", "th", "zh")

#: Words of at least two letters, as by default, but with the vowel signs and accents that follow a letter: without
#: them bm25s cuts words of Hindi in pieces.
_MARKS = "".join(
    map(chr, filter(lambda code: unicodedata.category(chr(code))[0] == "M", range(0x300, 0xFFFF)))
)
TOKEN_PATTERN = rf"(?u)(?:\w[{_MARKS}]*){{2,}}"

_RUN = re.compile("[\u0e00-\u0eff\u1780-\u17ff\u3005-\u30ff\u3400-\u9fff]+|[A-Za-z0-9]+")


def main_language(collection: Collection) -> str:
    """The language of most of the first texts."""
    guesses = (detect_language(text.text) for text in collection.corpus[:100])
    return Counter(guess.code for guess in guesses if guess).most_common(1)[0][0]


def search_baseline(collection: Collection, language: str, depth: int = 10) -> dict[str, list[str]]:
    """The best texts for every question."""
    queries = list(collection.queries)
    corpus = _tokenize([text.whole for text in collection.corpus], language)
    asked = _tokenize([collection.queries[query] for query in queries], language)
    retriever = cast("Any", bm25s).BM25()
    retriever.index(corpus, show_progress=False)
    found, _ = retriever.retrieve(asked, k=min(depth, len(collection.corpus)), show_progress=False)
    return {
        query: [collection.corpus[int(row)].id for row in rows]
        for query, rows in zip(queries, found, strict=True)
    }


def _tokenize(texts: Sequence[str], language: str) -> Any:
    if language in UNSEGMENTED:
        return [_bigrams(text.lower()) for text in texts]
    stemmer = snowball(ALGORITHMS[language]) if language in ALGORITHMS else None
    return cast("Any", bm25s).tokenize(
        list(texts),
        token_pattern=TOKEN_PATTERN,
        stopwords=language if language in STOPWORDS else None,
        stemmer=stemmer,
        return_ids=False,
        show_progress=False,
    )


def _bigrams(text: str) -> list[str]:
    """Overlapping pairs of letters, as most search engines do for scripts without blanks."""
    tokens: list[str] = []
    for run in _RUN.findall(text):
        if run.isascii():
            tokens.append(run)
        else:
            tokens += [run[at : at + 2] for at in range(max(1, len(run) - 1))]
    return tokens
