"""Encodes and decodes stored vectors: half precision for local models, full precision for paid providers.

Half precision changes a cosine by less than 0.001 and takes half of the space.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

import numpy as np

from towpath.providers.contract import Embedder, Vectors
from towpath.stages.support.artifact import load_result
from towpath.storage.contract import BlobStore

_FULL, _HALF = np.dtype("<f4"), np.dtype("<f2")


def encode_vectors(vectors: Vectors, embedder: Embedder) -> bytes:
    return vectors.astype(_HALF if embedder.price_per_million == 0 else _FULL).tobytes()


def is_complete(body: bytes, count: int, embedder: Embedder) -> bool:
    """Whether the body has ``count`` vectors. Earlier versions stored vectors of local models with full precision."""
    precisions = (_HALF, _FULL) if embedder.price_per_million == 0 else (_FULL,)
    return any(len(body) == count * embedder.dimension * precision.itemsize for precision in precisions)


async def load_vectors(blobs: BlobStore, embedded: Mapping[str, object]) -> Vectors:
    """The vectors of all batches, from the result of `embed`.

    Earlier versions stored no ``counts`` but full precision; version 0.1.0 stored all vectors as one blob.
    """
    dimension, keys = int(str(embedded["dimension"])), embedded["vectors"]
    bodies = [
        await load_result(blobs, key)
        for key in ([keys] if isinstance(keys, str) else cast("list[str]", keys))
    ]
    counts = cast("list[int] | None", embedded.get("counts")) or [
        len(body) // (dimension * _FULL.itemsize) for body in bodies
    ]
    batches = [_decode(body, count, dimension) for body, count in zip(bodies, counts, strict=True)]
    return np.concatenate([np.zeros((0, dimension), np.float32), *batches])


def _decode(body: bytes, count: int, dimension: int) -> Vectors:
    precision = _HALF if len(body) == count * dimension * _HALF.itemsize else _FULL
    return np.frombuffer(body, precision).reshape(-1, dimension).astype(np.float32)
