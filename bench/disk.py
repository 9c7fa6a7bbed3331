"""Watches the disk during a run: most figures here are its figures, and a neighbour at work spoils them."""

from __future__ import annotations

import os
import statistics
import tempfile
import time

SYNCS = 60
PAGE = bytes(8192)
STEADY_SHARE = 0.5


class DiskWatch:
    """Samples how many small synced writes a second the disk makes, as a database's commits are."""

    def __init__(self) -> None:
        self._rates: list[float] = []

    def sample(self) -> None:
        with tempfile.TemporaryFile() as file:
            begun = time.monotonic()
            for _ in range(SYNCS):
                os.pwrite(file.fileno(), PAGE, 0)
                os.fdatasync(file.fileno())
            self._rates.append(SYNCS / (time.monotonic() - begun))

    @property
    def steady(self) -> bool:
        """Whether nine samples of ten reached half of the median."""
        if len(self._rates) < 2:
            return True
        return statistics.quantiles(self._rates, n=10)[0] >= STEADY_SHARE * statistics.median(self._rates)

    def describe(self) -> str:
        slow, middle, fast = min(self._rates), statistics.median(self._rates), max(self._rates)
        spread = f"{slow:,.0f} to {fast:,.0f}, in the median {middle:,.0f}"
        return f"The disk made {spread} synced writes a second meanwhile."
