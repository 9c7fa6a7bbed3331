"""Parses the answer of a chat model, which is JSON, while it arrives: each sentence as soon as it is complete."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

#: `{"sentences": [{`: the objects at this depth are sentences.
_SENTENCE_DEPTH = 3


@dataclass(frozen=True, slots=True)
class CitedQuote:
    """What the model cites: the number of a passage, beginning with 1, and words of it. Not verified."""

    passage: int
    quote: str


@dataclass(frozen=True, slots=True)
class WrittenSentence:
    """A sentence as the model wrote it."""

    text: str
    citations: tuple[CitedQuote, ...]


class AnswerParser:
    """Collects the parts of the text. What is not JSON around the object is skipped."""

    def __init__(self) -> None:
        self._text = ""
        self._position = 0
        self._depth = 0
        self._start = 0
        self._in_string = False
        self._escaped = False
        #: Whether the outermost object is complete.
        self.complete = False

    def feed(self, part: str) -> Iterator[WrittenSentence]:
        """Add a part of the text; yields the sentences that it completes."""
        self._text += part
        while self._position < len(self._text) and not self.complete:
            sentence = self._read(self._text[self._position])
            self._position += 1
            if sentence is not None:
                yield sentence

    def _read(self, sign: str) -> WrittenSentence | None:
        if self._in_string:
            if self._escaped:
                self._escaped = False
            elif sign == "\\":
                self._escaped = True
            elif sign == '"':
                self._in_string = False
            return None
        if sign == '"':
            self._in_string = self._depth > 0
        elif sign == "{" or (sign == "[" and self._depth > 0):
            self._depth += 1
            if self._depth == _SENTENCE_DEPTH:
                self._start = self._position
        elif sign in "}]" and self._depth > 0:
            self._depth -= 1
            self.complete = self._depth == 0
            if self._depth == _SENTENCE_DEPTH - 1:
                return _to_sentence(self._text[self._start : self._position + 1])
        return None


def _to_sentence(text: str) -> WrittenSentence | None:
    """The sentence of a JSON object; None if it has none, or is another list or no JSON."""
    try:
        fields: Any = json.loads(text)
        citations = tuple(
            CitedQuote(int(cited["passage"]), str(cited["quote"])) for cited in fields["citations"]
        )
        written = str(fields["text"]).strip()
    except (ValueError, KeyError, TypeError):
        return None
    return WrittenSentence(written, citations) if written else None
