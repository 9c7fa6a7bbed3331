"""95 % intervals by the bootstrap: the files are drawn again with replacement, 2,000 times."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bench.reading.task import Compute, Counts

ROUNDS = 2000
SEED = 20130801


@dataclass(frozen=True, slots=True)
class Estimate:
    value: float
    low: float
    high: float


def estimate(counts: Sequence[Counts], compute: Compute) -> Estimate:
    """The metric over all files, with the 2.5 % and 97.5 % quantiles of the resampled values."""
    names = sorted({name for file_counts in counts for name in file_counts})
    matrix = np.array([[file_counts.get(name, 0.0) for name in names] for file_counts in counts], dtype=float)
    value = compute(dict(zip(names, matrix.sum(axis=0).tolist(), strict=True)))
    generator = np.random.default_rng(SEED)
    values: list[float] = []
    for _ in range(ROUNDS):
        drawn = generator.integers(0, len(counts), len(counts))
        sums = np.bincount(drawn, minlength=len(counts)) @ matrix
        values.append(compute(dict(zip(names, sums.tolist(), strict=True))))
    low, high = np.quantile(values, (0.025, 0.975)).tolist()
    return Estimate(value, low, high)
