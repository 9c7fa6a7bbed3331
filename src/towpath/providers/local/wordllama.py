"""Static embeddings: the mean of a text's token vectors (WordLlama, 256 dimensions). The default.

A table look-up is some fifty times faster than a network and keeps up with reading: documents of a
thousand pages are embedded in about a second. MiniLM knows more about meaning; a setting chooses it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Protocol

import numpy as np

from towpath.language.vocabulary import DIMENSION, load, unit
from towpath.providers.contract import Embedded, Vectors

BATCH = 256
#: What comes after this many characters of one text does not count.
LONGEST = 60_000


class Run(Protocol):
    """Runs a slow function elsewhere."""

    def __call__(
        self, function: Callable[[list[str]], Vectors], texts: list[str], /
    ) -> Awaitable[Vectors]: ...


class StaticEmbedder:
    provider = "local"
    model = "wordllama-256"
    dimension = DIMENSION

    def __init__(self, run: Run) -> None:
        self._run = run

    def batches(self, texts: Sequence[str]) -> list[range]:
        return [range(at, min(at + BATCH, len(texts))) for at in range(0, len(texts), BATCH)]

    async def embed(self, texts: Sequence[str]) -> Embedded:
        vectors = await self._run(embed_statically, list(texts))
        return Embedded(vectors, units={"texts": float(len(texts))})


def embed_statically(texts: list[str]) -> Vectors:
    """Unit vectors in the order of the texts; a text without a known token gets a zero vector."""
    tokenizer, table = load()
    vectors = np.zeros((len(texts), DIMENSION), np.float32)
    clean = [text[:LONGEST].encode("utf-8", "replace").decode("utf-8") for text in texts]
    for row, encoding in enumerate(tokenizer.encode_batch_fast(clean, add_special_tokens=False)):
        ids = np.asarray(encoding.ids, np.int32)
        if len(ids):
            vectors[row] = unit(table[ids].mean(axis=0, dtype=np.float32))
    return vectors
