"""Stored vectors: half precision for local models, full precision of providers and of earlier versions is read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

import numpy as np
import pytest

from towpath.providers.contract import Embedder
from towpath.stages.support.vector_blobs import encode_vectors, is_complete, load_vectors
from towpath.storage.contract import BlobStore

VECTORS = np.random.default_rng(7).normal(size=(5, 8)).astype(np.float32)


@dataclass
class SomeEmbedder:
    price_per_million: float | None
    dimension: int = 8


class SomeBlobs:
    def __init__(self, *bodies: bytes) -> None:
        self._bodies = bodies

    async def get(self, key: str) -> bytes:
        return self._bodies[int(key)]


def _embedder(price: float | None) -> Embedder:
    return cast("Embedder", SomeEmbedder(price))


def _blobs(*bodies: bytes) -> BlobStore:
    return cast("BlobStore", SomeBlobs(*bodies))


@pytest.mark.parametrize(("price", "bytes_per_number"), [(0.0, 2), (0.02, 4), (None, 4)])
def test_only_vectors_of_local_models_are_stored_with_half_precision(
    price: float | None, bytes_per_number: int
) -> None:
    assert len(encode_vectors(VECTORS, _embedder(price))) == VECTORS.size * bytes_per_number


async def test_batches_of_both_precisions_are_read_together() -> None:
    """As after an update: some batches were cached by the version before."""
    blobs = _blobs(VECTORS[:2].astype("<f4").tobytes(), encode_vectors(VECTORS[2:], _embedder(0)))
    read = await load_vectors(blobs, {"vectors": ["0", "1"], "counts": [2, 3], "dimension": 8})
    assert read.dtype == np.float32
    np.testing.assert_array_equal(read[:2], VECTORS[:2])
    np.testing.assert_allclose(read[2:], VECTORS[2:], rtol=1e-3)


@pytest.mark.parametrize("keys", ["0", ["0"]])
async def test_results_of_earlier_versions_have_full_precision_and_no_counts(keys: object) -> None:
    read = await load_vectors(_blobs(VECTORS.tobytes()), {"vectors": keys, "dimension": 8})
    np.testing.assert_array_equal(read, VECTORS)


async def test_no_batch_gives_no_vector() -> None:
    assert (await load_vectors(_blobs(), {"vectors": [], "counts": [], "dimension": 8})).shape == (0, 8)


def test_a_provider_that_gives_half_of_the_vectors_is_noticed() -> None:
    half = VECTORS[:2].astype("<f4").tobytes()
    assert not is_complete(half, 4, _embedder(0.02))
    assert is_complete(half, 2, _embedder(0.02))
