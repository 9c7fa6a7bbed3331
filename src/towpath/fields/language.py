"""Finds the main language of a document: that of most of its passages."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from towpath.text.language_detection import MAX_LENGTH, detect_language

#: Passages that are looked at, spread over the text.
PASSAGES = 8


class DocumentLanguage(NamedTuple):
    code: str
    confidence: float


def guess_language(text: str) -> DocumentLanguage | None:
    """The ISO 639-1 code of the main language; None if there is too little text to be sure."""
    votes: Counter[str] = Counter()
    passages = _passages(text)
    for passage in passages:
        guess = detect_language(passage)
        if guess is not None:
            votes[guess.code] += round(1_000 * guess.confidence)
    if not votes:
        return None
    code, confidence = votes.most_common(1)[0]
    return DocumentLanguage(code, round(min(0.99, confidence / 1_000 / len(passages)), 2))


def _passages(text: str) -> list[str]:
    """Short texts whole; of longer ones some parts at equal distances, without the first and last lines."""
    if len(text) <= 2 * MAX_LENGTH:
        return [text[start : start + MAX_LENGTH] for start in range(0, max(1, len(text)), MAX_LENGTH)]
    step = len(text) // (PASSAGES + 1)
    return [text[step * place : step * place + MAX_LENGTH] for place in range(1, PASSAGES + 1)]
