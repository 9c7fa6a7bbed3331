"""What can be counted in a transcript: who spoke how much, who longest, and where nobody did."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby

from towpath.model.transcript import Measures, Monologue, Segment, Silence, Transcript

#: A pause shorter than this is breathing or thinking.
SHORTEST_SILENCE = 5.0
#: As many silences are told, the longest ones.
MOST_SILENCES = 50
#: A pause of this length ends a monologue even when the same speaker goes on.
BREAK = 10.0


def measure(transcript: Transcript, seconds: float) -> Measures:
    turns = list(_monologues(transcript.segments))
    longest = max(turns, key=lambda turn: turn.end - turn.start, default=None)
    silences = sorted(_silences(transcript.segments, seconds), key=lambda one: one.start - one.end)
    told = sorted(silences[:MOST_SILENCES], key=lambda one: one.start)
    return Measures(transcript.shares, longest, tuple(told))


def _monologues(segments: Iterable[Segment]) -> Iterator[Monologue]:
    for speaker, said in groupby(segments, key=lambda segment: segment.speaker):
        start = end = None
        for segment in said:
            if start is None or end is None:
                start, end = segment.start, segment.end
            elif segment.start - end > BREAK:
                yield Monologue(speaker, start, end)
                start, end = segment.start, segment.end
            else:
                end = max(end, segment.end)
        if start is not None and end is not None:
            yield Monologue(speaker, start, end)


def _silences(segments: Iterable[Segment], seconds: float) -> Iterator[Silence]:
    quiet_since = 0.0
    for segment in segments:
        if segment.start - quiet_since >= SHORTEST_SILENCE:
            yield Silence(quiet_since, segment.start)
        quiet_since = max(quiet_since, segment.end)
    if seconds - quiet_since >= SHORTEST_SILENCE:
        yield Silence(quiet_since, seconds)
