"""Detects the language of a text by its script, and among languages of one script by function words."""

from __future__ import annotations

import re
from collections import Counter
from typing import NamedTuple

from towpath.text.language_id import FUNCTION_WORDS

#: Four slices of this many characters are read, spread over the text.
SLICE = 5000

_SCRIPTS = {
    "latin": "A-Za-zÀ-ɏẠ-ỹ",
    "cyrillic": "Ѐ-ӿ",
    "el": "Ͱ-Ͽἀ-῿",
    "he": "֐-׿",
    "arabic": "؀-ۿ",
    "hi": "ऀ-ॿ",
    "th": "฀-๿",
    "ko": "가-힣",
    "kana": "぀-ヿ",
    "han": "㐀-鿿",
}
_COUNTED = {name: re.compile(f"[{letters}]") for name, letters in _SCRIPTS.items()}
_WORD = re.compile(r"[^\W\d_]+")


class Guess(NamedTuple):
    code: str
    confidence: float


def guess_language(text: str) -> Guess | None:
    """The ISO 639-1 code of the main language; None if there is too little text."""
    sample = _sample(text)
    letters = Counter({name: len(counted.findall(sample)) for name, counted in _COUNTED.items()})
    total = letters.total()
    if total == 0:
        return None
    # A Chinese or Japanese character counts as three letters.
    letters["han"] *= 3
    letters["kana"] *= 3
    script, count = letters.most_common(1)[0]
    share = count / letters.total()
    if script in ("han", "kana"):
        japanese = letters["kana"] > 0.1 * letters["han"]
        return Guess("ja" if japanese else "zh", round(min(0.98, share), 2))
    if script in FUNCTION_WORDS:
        return _among(FUNCTION_WORDS[script], sample)
    return Guess(script, round(min(0.98, share), 2))


def _sample(text: str) -> str:
    if len(text) <= 4 * SLICE:
        return text
    step = (len(text) - SLICE) // 3
    return "\n".join(text[offset : offset + SLICE] for offset in range(0, len(text), step))


def _among(languages: dict[str, str], sample: str) -> Guess | None:
    seen = Counter(_WORD.findall(sample.lower()))
    scores: dict[str, float] = dict.fromkeys(languages, 0.0)
    for code, small in languages.items():
        for word in small.split():
            # Words that many of these languages share are weak evidence.
            scores[code] += seen[word] / _SHARED[word]
    (best, most), (_, second) = sorted(scores.items(), key=lambda item: -item[1])[:2]
    if not most:
        return None
    evidence = min(1.0, most / 5) * min(1.0, 10 * most / seen.total())
    return Guess(best, round(min(0.99, 0.3 + 0.69 * evidence * (most - second) / most), 2))


_SHARED = Counter(
    word for languages in FUNCTION_WORDS.values() for small in languages.values() for word in small.split()
)
