"""The times of one search mode, and a table of them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, slots=True)
class Times:
    """Milliseconds of many searches."""

    label: str
    samples: tuple[float, ...]

    def percentile(self, percent: float) -> float:
        return float(np.percentile(self.samples, percent))

    def cells(self) -> list[str]:
        return [self.label, *(f"{self.percentile(percent):.1f}" for percent in (50, 95, 99))]


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [list(head), *(list(row) for row in rows)]
    widths = [max(len(line[column_index]) for line in lines) for column_index in range(len(head))]
    rule = ["-" * widths[0], *("-" * (width - 1) + ":" for width in widths[1:])]
    return "\n".join(_line(line, widths) for line in [lines[0], rule, *lines[1:]])


def describe_load() -> str:
    """Return the load average, because other load distorts the figures."""
    return f"Load of the machine in the minute before: {os.getloadavg()[0]:.1f}."


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    figures = [cell.rjust(width) for cell, width in zip(cells[1:], widths[1:], strict=True)]
    return f"| {' | '.join([cells[0].ljust(widths[0]), *figures])} |"
