"""Measures a transcript: share of each speaker, longest monologue, silences, interruptions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby

from towpath.model.transcript import Interruption, Measures, Monologue, Segment, Silence, Transcript

#: A shorter pause is not a silence.
MIN_SILENCE_SECONDS = 5.0
#: Only this many silences are reported, the longest ones.
MAX_SILENCES = 50
#: A longer pause, in seconds, ends a monologue even if the same speaker continues.
MAX_MONOLOGUE_PAUSE = 10.0
#: Shorter overlaps are a change of speaker; a shorter utterance ("mhm") interrupts nobody.
MIN_OVERLAP_SECONDS, MIN_INTERRUPTION_SECONDS = 0.5, 1.0
#: The interrupted speaker stops within this many seconds.
MAX_TALK_ON_SECONDS = 3.0
MAX_INTERRUPTIONS = 50


def call_metrics(transcript: Transcript, seconds: float, *, overlaps_known: bool) -> Measures:
    """``overlaps_known``: whether each speaker has a channel, so that two may be heard at once."""
    turns = list(_monologues(transcript.segments))
    longest = max(turns, key=lambda turn: turn.end - turn.start, default=None)
    silences = sorted(
        _silences(transcript.segments, seconds), key=lambda silence: silence.start - silence.end
    )
    shown = sorted(silences[:MAX_SILENCES], key=lambda silence: silence.start)
    interruptions = tuple(_interruptions(transcript.segments))[:MAX_INTERRUPTIONS] if overlaps_known else None
    return Measures(transcript.shares, longest, tuple(shown), interruptions)


def _interruptions(segments: Iterable[Segment]) -> Iterator[Interruption]:
    last: dict[str | None, Segment] = {}
    for segment in segments:
        for speaker, other in last.items():
            if (
                speaker is not None
                and segment.speaker not in (None, speaker)
                and segment.end - segment.start >= MIN_INTERRUPTION_SECONDS
                and MIN_OVERLAP_SECONDS <= other.end - segment.start <= MAX_TALK_ON_SECONDS
                and other.end < segment.end
            ):
                yield Interruption(str(segment.speaker), speaker, segment.start)
        last[segment.speaker] = segment


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
