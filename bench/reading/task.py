"""What a task is: files with ground truth, tools that read them, and metrics over counts.

Every tool gives counts for each file (right, found, expected, ...). A metric is computed from the sums of the counts
over all files, and its interval by drawing the files again with replacement.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

Counts = Mapping[str, float]
Compute = Callable[[Counts], float]


@dataclass(frozen=True, slots=True)
class Sample:
    """One file with its ground truth; the task knows the type of the truth."""

    name: str
    path: Path
    truth: object


@dataclass(frozen=True, slots=True)
class Metric:
    """A figure computed from summed counts."""

    name: str
    compute: Compute


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool under comparison. ``score`` reads the sample and compares it; errors of the tool count as no output."""

    name: str
    score: Callable[[Sample], Counts]


class Task(Protocol):
    """What a module of ``bench.reading.tasks`` offers; its file name is the name of the task."""

    SUMMARY: str
    METRICS: Sequence[Metric]

    def load(self, data: Path) -> list[Sample]:
        """The files under the data folder; empty if this task's part of it is missing."""
        ...

    def tools(self) -> list[Tool]:
        """Towpath first, then the others that are installed."""
        ...


def ratio(numerator: str, denominator: str) -> Compute:
    """``numerator / denominator``; 0 if there is nothing to divide by."""
    return lambda counts: counts[numerator] / counts[denominator] if counts[denominator] else 0.0


def precision(counts: Counts) -> float:
    """Share of the found items that are right."""
    return counts["right"] / counts["found"] if counts["found"] else 0.0


def recall(counts: Counts) -> float:
    """Share of the expected items that were found."""
    return counts["right"] / counts["expected"] if counts["expected"] else 0.0


def f1(counts: Counts) -> float:
    """Harmonic mean of precision and recall over the counts ``right``, ``found`` and ``expected``."""
    total = counts["found"] + counts["expected"]
    return 2 * counts["right"] / total if total else 0.0


RECALL_PRECISION_F1 = (Metric("F1", f1), Metric("precision", precision), Metric("recall", recall))
