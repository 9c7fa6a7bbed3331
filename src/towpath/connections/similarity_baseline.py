"""The similarity baseline of an embedding model: mean and spread of the cosines of unrelated passages.

The mean differs by model (0.03 for one, 0.2 or 0.7 for another), so no fixed cosine means "related" for all of
them. The baseline converts cosines to standard deviations above unrelated passages. Long passages have higher
cosines than short ones, so mean and spread grow with the number of terms. The baseline is fixed and not taken
from the stored documents, so that the connections of two documents do not depend on other documents.

The baselines of the local models were measured (`tests/support/connection_quality.py`, `bench/data`). For other
models, which may cost money, the baseline is estimated from stored chunks, most of which are unrelated.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from towpath.providers.contract import Vectors

#: Distinct terms of a passage of two sentences.
REFERENCE_TERMS = 16


@dataclass(frozen=True, slots=True)
class ModelBaseline:
    """Mean and standard deviation of the cosines of unrelated passages, for one model.

    `mean` and `spread` hold for passages with 16 distinct terms; each grows by `*_growth` per ln(terms / 16).
    A model with `english_only` gives high cosines to all passages in another language.
    """

    mean: float
    spread: float
    mean_growth: float = 0.0
    spread_growth: float = 0.0
    english_only: bool = False

    def z_scores(self, cosines: Vectors, words: NDArray[np.float64]) -> Vectors:
        """Cosines in standard deviations above unrelated passages, for pairs with this many distinct terms."""
        ratio = log_length_ratio(words)
        spread = self.spread + self.spread_growth * ratio
        return np.asarray((cosines - self.mean - self.mean_growth * ratio) / spread, np.float32)


def log_length_ratio(words: NDArray[np.float64]) -> NDArray[np.float64]:
    """ln(terms / 16), limited to the range from -1 to 2."""
    return np.clip(np.log(np.maximum(words, 1.0) / REFERENCE_TERMS), -1.0, 2.0)


#: Results of `measure_baseline` on the unrelated passages in `bench/data`, by model.
BASELINES: Mapping[str, ModelBaseline] = {
    "wordllama-256": ModelBaseline(
        0.0342, 0.0682, mean_growth=0.0565, spread_growth=0.0224, english_only=True
    ),
    "minilm-l6-int8": ModelBaseline(
        0.0486, 0.0786, mean_growth=0.0327, spread_growth=0.0076, english_only=True
    ),
}
#: Stored chunks to sample for an estimate, and the minimum for one.
SAMPLE_SIZE = 64
MIN_SAMPLE = 8
#: Used with fewer stored chunks.
DEFAULT = ModelBaseline(0.2, 0.1)


def estimate_baseline(vectors: Vectors) -> ModelBaseline:
    """Estimates the baseline from chunks some of which may be related: uses the median and the lower half."""
    if len(vectors) < MIN_SAMPLE:
        return DEFAULT
    cosines = (vectors @ vectors.T)[np.triu_indices(len(vectors), 1)]
    median = float(np.median(cosines))
    lower_deviations = median - cosines[cosines <= median]
    return ModelBaseline(median, max(float(np.sqrt(np.mean(lower_deviations**2))), 1e-3))
