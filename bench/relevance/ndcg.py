"""nDCG@10, the usual measure of BEIR: gains fall with the logarithm of the rank, 1.0 is the best possible order."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

DEPTH = 10

#: The ids of the texts found for each question, best first.
Run = Mapping[str, Sequence[str]]


def ndcg(ranked: Sequence[str], grades: Mapping[str, int], depth: int = DEPTH) -> float:
    ideal = _gain(sorted(grades.values(), reverse=True)[:depth])
    return _gain([grades.get(document, 0) for document in ranked[:depth]]) / ideal if ideal else 0.0


def mean_ndcg(run: Run, judgments: Mapping[str, Mapping[str, int]]) -> float:
    """The mean over all questions of the run; a question without an answer counts 0."""
    scores = [ndcg(ranked, judgments[query]) for query, ranked in run.items()]
    return sum(scores) / len(scores) if scores else 0.0


def _gain(grades: Sequence[int]) -> float:
    return sum(grade / math.log2(rank + 1) for rank, grade in enumerate(grades, start=1))
