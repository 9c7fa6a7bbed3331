"""Detects speech with the model Silero VAD, which is part of the faster-whisper package.

The model starts from the same state for every call, so the same samples always give the same spans.
"""

from __future__ import annotations

from typing import Any, cast

from towpath.providers.local.speech.audio_samples import MODEL_SAMPLE_RATE, Samples

Span = tuple[float, float]

#: Shorter silences are part of speech.
MIN_PAUSE_SECONDS = 0.25
#: Shorter sounds are not speech.
MIN_SPEECH_SECONDS = 0.2
#: Silence kept around a span, so that no consonant is cut off.
MARGIN_SECONDS = 0.1


def detect_speech(samples: Samples) -> list[Span]:
    """The spans of speech in seconds, in order of time."""
    from faster_whisper import vad

    if not len(samples):
        return []
    silero = cast(Any, vad)
    options = silero.VadOptions(
        min_speech_duration_ms=round(MIN_SPEECH_SECONDS * 1000),
        min_silence_duration_ms=round(MIN_PAUSE_SECONDS * 1000),
        speech_pad_ms=round(MARGIN_SECONDS * 1000),
    )
    found: list[dict[str, Any]] = silero.get_speech_timestamps(samples, options)
    return [(span["start"] / MODEL_SAMPLE_RATE, span["end"] / MODEL_SAMPLE_RATE) for span in found]
