"""Measures a transcript: share of each speaker, longest monologue, silences."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby

from towpath.model.transcript import Measures, Monologue, Segment, Silence, Transcript

#: A shorter pause is not a silence.
MIN_SILENCE_SECONDS = 5.0
#: Only this many silences are reported, the longest ones.
MAX_SILENCES = 50
#: A longer pause, in seconds, ends a monologue even if the same speaker continues.
MAX_MONOLOGUE_PAUSE = 10.0


def call_metrics(transcript: Transcript, seconds: float) -> Measures:
    turns = list(_monologues(transcript.segments))
    longest = max(turns, key=lambda turn: turn.end - turn.start, default=None)
    silences = sorted(
        _silences(transcript.segments, seconds), key=lambda silence: silence.start - silence.end
    )
    shown = sorted(silences[:MAX_SILENCES], key=lambda silence: silence.start)
    return Measures(transcript.shares, longest, tuple(shown))


def _monologues(segments: Iterable[Segment]) -> Iterator[Monologue]:
    for speaker, spoken in groupby(segments, key=lambda segment: segment.speaker):
        start = end = None
        for segment in spoken:
            if start is None or end is None:
                start, end = segment.start, segment.end
            elif segment.start - end > MAX_MONOLOGUE_PAUSE:
                yield Monologue(speaker, start, end)
                start, end = segment.start, segment.end
            else:
                end = max(end, segment.end)
        if start is not None and end is not None:
            yield Monologue(speaker, start, end)


def _silences(segments: Iterable[Segment], seconds: float) -> Iterator[Silence]:
    silent_since = 0.0
    for segment in segments:
        if segment.start - silent_since >= MIN_SILENCE_SECONDS:
            yield Silence(silent_since, segment.start)
        silent_since = max(silent_since, segment.end)
    if seconds - silent_since >= MIN_SILENCE_SECONDS:
        yield Silence(silent_since, seconds)
