"""Groups voice vectors by speaker: agglomerative clustering with average linkage on the cosine similarity."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

Vectors = npt.NDArray[np.float32]

#: Two groups with a mean similarity below this are different speakers.
MIN_SIMILARITY = 0.30
#: A speaker who is heard for less time than this is noise or a piece with two voices, unless the number is known.
MIN_SPEAKER_SECONDS = 2.5
#: Clustering takes time with the cube of the number of vectors: of a longer recording every n-th vector is clustered
#: and the others join the nearest group.
MAX_CLUSTERED = 1200


def cluster_voices(vectors: Vectors, seconds: Sequence[float], count: int | None) -> list[int]:
    """The speaker of each vector, numbered by first appearance; ``count`` is the number of speakers, if known."""
    if not len(vectors):
        return []
    step = -(-len(vectors) // MAX_CLUSTERED)
    weights = np.asarray(seconds, np.float64)
    groups = _agglomerate(vectors[::step], weights[::step], count)
    if count is None:
        groups = _without_short(groups, weights[::step])
    centres = np.stack([_mean(vectors[::step][group], weights[::step][group]) for group in groups])
    if step == 1 and sum(map(len, groups)) == len(vectors):
        labels = np.empty(len(vectors), int)
        for number, group in enumerate(groups):
            labels[group] = number
    else:
        labels = np.argmax(vectors @ centres.T, axis=1)
    order = {label: number for number, label in enumerate(dict.fromkeys(labels.tolist()))}
    return [order[label] for label in labels.tolist()]


def _agglomerate(vectors: Vectors, weights: npt.NDArray[np.float64], count: int | None) -> list[list[int]]:
    """Join the two most similar groups until they are dissimilar, or until ``count`` groups are left."""
    similarity = (vectors @ vectors.T).astype(np.float64)
    np.fill_diagonal(similarity, -np.inf)
    groups: list[list[int] | None] = [[index] for index in range(len(vectors))]
    mass = weights.copy()
    remaining = len(groups)
    while remaining > (count or 1):
        first, second = divmod(int(np.argmax(similarity)), len(groups))
        if count is None and similarity[first, second] < MIN_SIMILARITY:
            break
        one, other = groups[first], groups[second]
        assert one is not None
        assert other is not None
        groups[first], groups[second] = [*one, *other], None
        joined = (mass[first] * similarity[first] + mass[second] * similarity[second]) / (
            mass[first] + mass[second]
        )
        joined[first] = joined[second] = -np.inf
        similarity[first], similarity[:, first] = joined, joined
        similarity[second], similarity[:, second] = -np.inf, -np.inf
        mass[first] += mass[second]
        remaining -= 1
    return [group for group in groups if group is not None]


def _without_short(groups: list[list[int]], weights: npt.NDArray[np.float64]) -> list[list[int]]:
    """The groups that are heard for long enough; if none is, the longest one."""
    long = [group for group in groups if weights[group].sum() >= MIN_SPEAKER_SECONDS]
    return long or [max(groups, key=lambda group: float(weights[group].sum()))]


def _mean(vectors: Vectors, weights: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    centre = weights @ vectors
    return centre / max(float(np.linalg.norm(centre)), 1e-9)
