"""Finds the main language of a document: that of most of its passages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from towpath.text.language_detection import MAX_LENGTH, detect_language

#: Passages that are looked at, spread over the text.
PASSAGES = 8


class DocumentLanguage(NamedTuple):
    code: str
    confidence: float


def guess_language(text: str) -> DocumentLanguage | None:
    """The ISO 639-1 code of the main language; None if there is too little text to be sure.

    No more passages are looked at when the others cannot change the language.
    """
    votes: Counter[str] = Counter()
    passages = _passages(text)
    seen = 0
    for seen, passage in enumerate(_spread(passages), 1):
        guess = detect_language(passage)
        if guess is not None:
            votes[guess.code] += round(1_000 * guess.confidence)
        if _lead(votes) > 1_000 * (len(passages) - seen):
            break
    if not votes:
        return None
    code, confidence = votes.most_common(1)[0]
    return DocumentLanguage(code, round(min(0.99, confidence / 1_000 / seen), 2))


def _lead(votes: Counter[str]) -> int:
    """The votes by which the first language leads."""
    (_, most), (_, next_most) = [*votes.most_common(2), ("", 0), ("", 0)][:2]
    return most - next_most


def _spread(passages: Sequence[str]) -> Sequence[str]:
    """Every second passage, then the others: the first few are from all of the text."""
    return [*passages[::2], *passages[1::2]]


def _passages(text: str) -> list[str]:
    """Short texts whole; of longer ones some parts at equal distances, without the first and last lines."""
    if len(text) <= 2 * MAX_LENGTH:
        return [text[start : start + MAX_LENGTH] for start in range(0, max(1, len(text)), MAX_LENGTH)]
    # Passages that overlap would count the same words twice.
    count = max(2, min(PASSAGES, len(text) // MAX_LENGTH - 1))
    step = len(text) // (count + 1)
    return [text[step * place : step * place + MAX_LENGTH] for place in range(1, count + 1)]
