"""How alike a model finds passages that have nothing to do with each other: that is its zero.

Every model has a cosine of its own for strangers (0.03 for one, 0.2 or 0.7 for another) and spreads
around it differently, so no fixed cosine means «the same» for all of them. Mean and spread over the pairs
of strange passages give each model its own scale, in standard deviations above chance. They are fixed, and
not taken from the library: the same two documents are then connected, or not, whatever stands beside them.

The models that come with Towpath have been asked (`bench/quality/strangers.py`). For others, which may be paid for, the
zero is found among passages of the library, most of which are strangers to each other.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from towpath.providers.contract import Vectors


@dataclass(frozen=True, slots=True)
class Background:
    """How alike strangers are for a model: mean and standard deviation of their cosines."""

    mean: float
    spread: float


#: What `learn` says of the vectors of the strangers in `bench/quality`, by model.
MEASURED: Mapping[str, Background] = {
    "wordllama-256": Background(0.0317, 0.0672),
    "minilm-l6-int8": Background(0.0472, 0.0783),
}
#: How many passages of a library are looked at, and the fewest that tell anything.
SAMPLE = 64
FEWEST = 8
#: Until a library has so many.
USUAL = Background(0.2, 0.1)


def guess(vectors: Vectors) -> Background:
    """The zero from passages some of which may be close: the middle and the lower half are those of strangers."""
    if len(vectors) < FEWEST:
        return USUAL
    cosines = (vectors @ vectors.T)[np.triu_indices(len(vectors), 1)]
    middle = float(np.median(cosines))
    below = middle - cosines[cosines <= middle]
    return Background(middle, max(float(np.sqrt(np.mean(below**2))), 1e-3))
