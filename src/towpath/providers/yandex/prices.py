"""What asynchronous recognition costs: US dollars per second at list price, for an estimate.

A second of one or two channels is one unit; a recording is billed for 15 of them at least.
"""

from __future__ import annotations

import math

PER_SECOND = 0.000128
SHORTEST_BILLED = 15


def billed_seconds(audio_seconds: float) -> int:
    """Whole seconds that a recording of one or two channels is billed for."""
    return max(SHORTEST_BILLED, math.ceil(audio_seconds))
