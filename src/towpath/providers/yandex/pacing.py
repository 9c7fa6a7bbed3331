"""When to ask SpeechKit for a transcript: it takes about 10 seconds for a minute of audio."""

from __future__ import annotations

FIRST_AT_LEAST = 5.0
LATER_AT_MOST = 60.0
GIVE_UP_AFTER = 24 * 3600.0


def first_poll_delay(audio_seconds: float) -> float:
    """Seconds from the start of the operation to the first question."""
    return max(FIRST_AT_LEAST, audio_seconds / 6)


def next_poll_delay(previous: float) -> float:
    """Seconds to the next question; grows by half, for status checks are counted too."""
    return max(FIRST_AT_LEAST, min(LATER_AT_MOST, previous * 1.5))
