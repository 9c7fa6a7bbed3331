"""Divides the text of a segment into sentences with their times."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from towpath.model.transcript import Segment

SENTENCE_END = frozenset(".!?…。！？؟।")
_FULL_WIDTH = frozenset("。！？।")
_CLOSING = "\"'”’»)]」』 \n"


@dataclass(frozen=True, slots=True)
class SpokenSentence:
    text: str
    speaker: str | None
    start: float
    end: float


def spoken_sentences(segment: Segment) -> Iterator[SpokenSentence]:
    """The sentences of a segment; their times are those of their words, or interpolated if the words have none."""
    times = _TextTimes(segment)
    for start, end in sentence_spans(segment.text):
        text = segment.text[start:end].strip()
        if text:
            yield SpokenSentence(text, segment.speaker, times.at(start), times.at(end))


def sentence_spans(text: str) -> Iterator[tuple[int, int]]:
    """The (start, end) offsets of the sentences of a text."""
    start = 0
    for index, character in enumerate(text):
        following = text[index + 1 : index + 2]
        if character in _FULL_WIDTH or (
            character in SENTENCE_END and (not following or following in _CLOSING)
        ):
            yield start, index + 1
            start = index + 1
    if text[start:].strip():
        yield start, len(text)


def ends_sentence(text: str) -> bool:
    stripped = text.rstrip(_CLOSING)
    return bool(stripped) and stripped[-1] in SENTENCE_END


def word_offsets(segment: Segment) -> list[int]:
    """The offset of each word in the text of the segment. A word that is not found is at the end of the one before."""
    lowered = segment.text.lower()
    # A lower-case text may be longer ("İ" becomes two characters): offsets are those of the text itself.
    text, lower = (lowered, True) if len(lowered) == len(segment.text) else (segment.text, False)
    offsets: list[int] = []
    position = 0
    for word in segment.words:
        found = text.find(word.text.lower() if lower else word.text, position)
        offsets.append(position if found < 0 else found)
        position = offsets[-1] + (0 if found < 0 else len(word.text))
    return offsets


class _TextTimes:
    """The time at which an offset of the text of a segment is spoken."""

    def __init__(self, segment: Segment) -> None:
        self._segment = segment
        self._offsets = word_offsets(segment)

    def at(self, offset: int) -> float:
        segment = self._segment
        if offset >= len(segment.text):
            return segment.end
        if not segment.words:
            share = offset / max(1, len(segment.text))
            return round(segment.start + share * (segment.end - segment.start), 2)
        following = (
            word.start for word, start in zip(segment.words, self._offsets, strict=True) if start >= offset
        )
        return next(following, segment.end)
