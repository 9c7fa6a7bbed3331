"""A recording as it was found: how long it is, how it was made, and where it may be cut."""

from __future__ import annotations

from dataclasses import dataclass

Window = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Recording:
    """What was learnt while the sound was taken out of the file. Times are seconds from its beginning."""

    seconds: float
    codec: str
    channels: int
    #: Two people on two channels, as telephone systems record them: each channel is one speaker.
    apart: bool
    #: Stretches to be heard one after another, cut where it is quiet.
    windows: tuple[Window, ...]
    #: The sound as OGG Opus: its hash and size.
    sha256: str
    size: int
    warnings: tuple[str, ...] = ()
