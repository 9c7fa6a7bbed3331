"""Detects speech by loudness alone, so that the same samples always give the same segments.

The detector of the model keeps state between recordings: with it, a transcript would depend on what the
process transcribed before.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Samples = npt.NDArray[np.float32]
Span = tuple[float, float]

FRAMES_PER_SECOND = 50
#: The best input length for the model. Its time grows with the square; shorter input has less context.
MAX_SEGMENT_SECONDS = 10.0
#: Shorter silences are part of speech.
MIN_PAUSE_SECONDS = 0.3
#: Shorter sounds are not speech.
MIN_SPEECH_SECONDS = 0.1
#: Silence kept around a segment, so that no consonant is cut off.
MARGIN_SECONDS = 0.2

#: Below this level there is no signal, as on the silent channel of a telephone call.
NO_SIGNAL_DB = -80.0
#: Minimum level of speech; threshold above the 10th and below the 95th percentile; minimum distance of the two.
MIN_SPEECH_DB = -55.0
ABOVE_NOISE_DB = 10.0
BELOW_PEAK_DB = 22.0
MIN_DYNAMIC_RANGE_DB = 6.0


@dataclass(frozen=True, slots=True)
class SpeechSegment:
    """A time range that is transcribed in one call, and the pauses inside it."""

    start: float
    end: float
    pauses: tuple[Span, ...] = ()

    def time_at(self, share: float) -> float:
        """The time at which this share of the speech has passed. Pauses do not count."""
        starts = (self.start, *(end for _, end in self.pauses))
        ends = (*(start for start, _ in self.pauses), self.end)
        remaining = share * sum(end - start for start, end in zip(starts, ends, strict=True))
        for start, end in zip(starts, ends, strict=True):
            if remaining <= end - start:
                return start + remaining
            remaining -= end - start
        return self.end


def detect_speech(sound: Samples, rate: int) -> list[SpeechSegment]:
    """All speech in the samples, in segments of at most ``MAX_SEGMENT_SECONDS``."""
    levels = _levels(sound, rate)
    return _join_neighbours(
        [part for span in _speech_spans(levels) for part in _split_long_span(span, levels)]
    )


def _levels(sound: Samples, rate: int) -> npt.NDArray[np.float64]:
    """The level in decibels of each frame of 20 ms."""
    size = rate // FRAMES_PER_SECOND
    frames = sound[: len(sound) // size * size].reshape(-1, size).astype(np.float64)
    return 10 * np.log10(np.mean(frames**2, axis=1) + 1e-10)


def _speech_spans(levels: npt.NDArray[np.float64]) -> list[Span]:
    audible_levels = levels[levels > NO_SIGNAL_DB]
    if not len(audible_levels):
        return []
    quiet, loud = np.percentile(audible_levels, (10, 95))
    if loud <= MIN_SPEECH_DB or loud - quiet < MIN_DYNAMIC_RANGE_DB:
        # Silence, or a constant hum.
        return []
    threshold = max(MIN_SPEECH_DB, min(quiet + ABOVE_NOISE_DB, loud - BELOW_PEAK_DB))
    frames = np.flatnonzero(levels > threshold)
    gaps = np.flatnonzero(np.diff(frames) > MIN_PAUSE_SECONDS * FRAMES_PER_SECOND)
    starts = frames[np.concatenate(([0], gaps + 1))] / FRAMES_PER_SECOND
    ends = (frames[np.concatenate((gaps, [len(frames) - 1]))] + 1) / FRAMES_PER_SECOND
    spans = zip(starts.tolist(), ends.tolist(), strict=True)
    return [(start, end) for start, end in spans if end - start >= MIN_SPEECH_SECONDS]


def _split_long_span(span: Span, levels: npt.NDArray[np.float64]) -> list[Span]:
    """Cut a long span at the quietest frame of its second half."""
    start, end = span
    parts: list[Span] = []
    while end - start > MAX_SEGMENT_SECONDS:
        first = round((start + MAX_SEGMENT_SECONDS / 2) * FRAMES_PER_SECOND)
        last = round((start + MAX_SEGMENT_SECONDS) * FRAMES_PER_SECOND)
        cut = (first + int(np.argmin(levels[first:last]))) / FRAMES_PER_SECOND
        parts.append((start, cut))
        start = cut
    return [*parts, (start, end)]


def _join_neighbours(spans: list[Span]) -> list[SpeechSegment]:
    """Join neighbouring spans up to the maximum length: context improves the transcript."""
    joined: list[SpeechSegment] = []
    for start, end in spans:
        last = joined[-1] if joined else None
        if last is not None and end - last.start <= MAX_SEGMENT_SECONDS:
            joined[-1] = SpeechSegment(last.start, end, (*last.pauses, (last.end, start)))
        else:
            joined.append(SpeechSegment(start, end))
    return joined
