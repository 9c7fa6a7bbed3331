"""Vectors of unchanged chunks are merged with those of changed ones in the order of the chunks."""

from __future__ import annotations

import numpy as np

from towpath.model.content import Anchor, Chunk
from towpath.stages.support.reused_vectors import merge_vectors


def test_vectors_are_merged_in_the_order_of_the_chunks() -> None:
    chunks = [Chunk(name, ordinal, name, 1, Anchor(0, 1)) for ordinal, name in enumerate("abcd")]
    new = np.array([[1, 1], [3, 3]], dtype=np.float32)
    merged = merge_vectors(chunks, {"a": [0.0, 0.0], "c": [2.0, 2.0]}, new)

    assert merged.tolist() == [[0, 0], [1, 1], [2, 2], [3, 3]]
