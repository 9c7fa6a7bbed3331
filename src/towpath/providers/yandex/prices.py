"""List price of asynchronous recognition in US dollars per second, for cost estimates.

A second of one or two channels is one unit. A recording is billed for at least 15 units.
"""

from __future__ import annotations

import math

PER_SECOND = 0.000128
MIN_BILLED_SECONDS = 15


def billed_seconds(audio_seconds: float) -> int:
    """The whole seconds billed for a recording with one or two channels."""
    return max(MIN_BILLED_SECONDS, math.ceil(audio_seconds))
