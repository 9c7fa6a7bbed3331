"""A call's audio after extraction: duration, codec, channels and the windows for transcription."""

from __future__ import annotations

from dataclasses import dataclass

Window = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Recording:
    """The properties of the extracted audio. Times are seconds from the start."""

    seconds: float
    codec: str
    channels: int
    #: Whether each of two channels is one speaker, as telephone systems record them.
    speaker_per_channel: bool
    #: The parts to transcribe one after another, cut at pauses.
    windows: tuple[Window, ...]
    #: Hash and size of the audio as OGG Opus.
    sha256: str
    size: int
    warnings: tuple[str, ...] = ()
