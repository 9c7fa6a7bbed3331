"""How alike a model finds passages that have nothing to do with each other: that is its zero.

Every model has a cosine of its own for strangers (0.03 for one, 0.2 or 0.7 for another) and spreads
around it differently, so no fixed cosine means «the same» for all of them. Mean and spread over the pairs
of strange passages give each model its own scale, in standard deviations above chance. Long passages are
more alike than short ones, whatever they say, so both grow with the number of words. They are fixed, and
not taken from the library: the same two documents are then connected, or not, whatever stands beside them.

The models that come with Towpath have been asked (`bench/quality/strangers.py`). For others, which may be paid for, the
zero is found among passages of the library, most of which are strangers to each other.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from towpath.providers.contract import Vectors

#: Different words, everyday ones apart, of a passage of two sentences.
SHORT = 16


@dataclass(frozen=True, slots=True)
class Background:
    """How alike strangers are for a model: mean and standard deviation of their cosines.

    So it is for passages of `SHORT` different words; for e times as many, each has grown by its growth.
    A model that knows English only takes all passages of another language for alike.
    """

    mean: float
    spread: float
    mean_growth: float = 0.0
    spread_growth: float = 0.0
    english: bool = False

    def above(self, cosines: Vectors, words: NDArray[np.float64]) -> Vectors:
        """In standard deviations above chance, for pairs of passages with so many different words."""
        by = longer(words)
        spread = self.spread + self.spread_growth * by
        return np.asarray((cosines - self.mean - self.mean_growth * by) / spread, np.float32)


def longer(words: NDArray[np.float64]) -> NDArray[np.float64]:
    """How much longer than short: 0 for `SHORT` words, 1 for e times as many, and within bounds."""
    return np.clip(np.log(np.maximum(words, 1.0) / SHORT), -1.0, 2.0)


#: What `learn` says of the vectors of the strangers in `bench/quality`, by model.
MEASURED: Mapping[str, Background] = {
    "wordllama-256": Background(0.0342, 0.0682, mean_growth=0.0565, spread_growth=0.0224, english=True),
    "minilm-l6-int8": Background(0.0486, 0.0786, mean_growth=0.0327, spread_growth=0.0076, english=True),
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
