"""Gives each word of a transcript the speaker whose time span it falls into, and divides segments where they change."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from towpath.model.transcript import Segment, SpeakerSpan
from towpath.stages.support.speaker_turns import split_at

#: An utterance belongs to one speaker if this share of its words does: single words at a change are often off by one.
CLEAR_MAJORITY = 0.75
#: A speaker says at least this many words in a row inside the utterance of another one.
MIN_WORDS = 3


def label_speakers(segments: Sequence[Segment], spans: Sequence[SpeakerSpan]) -> list[Segment]:
    """The segments in order, each with one speaker. Without spans the speakers stay unknown."""
    if not spans:
        return list(segments)
    index = _SpanIndex(spans)
    return [part for segment in segments for part in _label(segment, index)]


class _SpanIndex:
    def __init__(self, spans: Sequence[SpeakerSpan]) -> None:
        self._spans = sorted(spans, key=lambda span: span.start)
        self._starts = [span.start for span in self._spans]

    def speaker_at(self, time: float) -> str:
        """The speaker at a time, or of the nearest span."""
        last = bisect_right(self._starts, time)
        near = self._spans[max(0, last - 1) : last + 1]
        return min(near, key=lambda span: max(span.start - time, time - span.end, 0.0)).speaker


def _label(segment: Segment, index: _SpanIndex) -> list[Segment]:
    if not segment.words:
        return [replace(segment, speaker=index.speaker_at((segment.start + segment.end) / 2))]
    speakers = [index.speaker_at((word.start + word.end) / 2) for word in segment.words]
    [(majority, count)] = Counter(speakers).most_common(1)
    if count >= CLEAR_MAJORITY * len(speakers):
        return [replace(segment, speaker=majority)]
    cuts = _changes(speakers)
    parts = split_at(segment, cuts)
    starts = (0, *cuts)
    return [replace(part, speaker=speakers[start]) for part, start in zip(parts, starts, strict=False)]


def _changes(speakers: list[str]) -> list[int]:
    """The indexes at which another speaker begins; shorter runs than `MIN_WORDS` go to the speaker before."""
    cuts: list[int] = []
    start = 0
    for position in range(1, len(speakers) + 1):
        if position < len(speakers) and speakers[position] == speakers[start]:
            continue
        if position - start < MIN_WORDS and start:
            speakers[start:position] = [speakers[start - 1]] * (position - start)
        elif start and speakers[start] != speakers[start - 1]:
            cuts.append(start)
        start = position
    return cuts
