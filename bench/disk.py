"""Measures disk latency during a run, because most figures depend on it and other load distorts them."""

from __future__ import annotations

import os
import statistics
import tempfile
import time

SYNCS = 60
PAGE = bytes(8192)
STEADY_SHARE = 0.5


class DiskWatch:
    """Samples the rate of small synced writes, which is the cost of a database commit."""

    def __init__(self) -> None:
        self._rates: list[float] = []

    def sample(self) -> None:
        with tempfile.TemporaryFile() as file:
            started = time.monotonic()
            for _ in range(SYNCS):
                os.pwrite(file.fileno(), PAGE, 0)
                os.fdatasync(file.fileno())
            self._rates.append(SYNCS / (time.monotonic() - started))

    @property
    def steady(self) -> bool:
        """True if at least 90 % of the samples reached half of the median."""
        if len(self._rates) < 2:
            return True
        return statistics.quantiles(self._rates, n=10)[0] >= STEADY_SHARE * statistics.median(self._rates)

    def describe(self) -> str:
        lowest, middle, highest = min(self._rates), statistics.median(self._rates), max(self._rates)
        spread = f"{lowest:,.0f} to {highest:,.0f}, median {middle:,.0f}"
        return f"Synced writes of the disk per second during the run: {spread}."
