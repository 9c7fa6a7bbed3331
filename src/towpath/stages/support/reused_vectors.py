"""Reuses the vectors of chunks that a new version of a document did not change, so that only the others are paid for.

Answers are cached by batch: a batch with one changed text is another call.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from towpath.model.content import Chunk
from towpath.model.document_version import version_of
from towpath.providers.contract import Embedder, Vectors
from towpath.stages.contract import Context


async def known_vectors(
    context: Context, embedder: Embedder, chunks: Sequence[Chunk]
) -> Mapping[str, Sequence[float]]:
    """The published vectors of these chunks; none for a first version and for a run without cached answers."""
    if version_of(context.options) == 1 or context.options.get("salt"):
        return {}
    published = await context.published_vectors(embedder.model)
    return {
        chunk.id: published[chunk.id]
        for chunk in chunks
        if chunk.id in published and len(published[chunk.id]) == embedder.dimension
    }


def merge_vectors(chunks: Sequence[Chunk], known: Mapping[str, Sequence[float]], new: Vectors) -> Vectors:
    """The vectors of all chunks in their order; ``new`` are those of the chunks that are not known."""
    merged = np.empty((len(chunks), new.shape[1]), dtype=np.float32)
    changed = iter(new)
    for row, chunk in enumerate(chunks):
        merged[row] = known[chunk.id] if chunk.id in known else next(changed)
    return merged
