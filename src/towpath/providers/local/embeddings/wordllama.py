"""The default local embedder: the mean of static token vectors (WordLlama, 256 dimensions).

A table look-up is about fifty times faster than a network: a document of a thousand pages is embedded in
about a second. MiniLM gives better vectors; a setting selects it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Protocol

import numpy as np

from towpath.providers.contract import Embedded, Vectors
from towpath.providers.local.embeddings.wordllama_model import DIMENSION, load, unit

BATCH_SIZE = 256
#: The rest of a longer text is ignored.
MAX_CHARACTERS = 60_000


class RunFunction(Protocol):
    """Runs a slow function in a child process."""

    def __call__(
        self, function: Callable[[list[str]], Vectors], texts: list[str], /
    ) -> Awaitable[Vectors]: ...


class WordLlamaEmbedder:
    provider = "local"
    model = "wordllama-256"
    dimension = DIMENSION
    batch_limit = None

    def __init__(self, run: RunFunction) -> None:
        self._run = run

    def batches(self, texts: Sequence[str]) -> list[range]:
        return [
            range(start, min(start + BATCH_SIZE, len(texts))) for start in range(0, len(texts), BATCH_SIZE)
        ]

    async def embed(self, texts: Sequence[str]) -> Embedded:
        vectors = await self._run(embed_with_wordllama, list(texts))
        return Embedded(vectors, units={"texts": float(len(texts))})


def embed_with_wordllama(texts: list[str]) -> Vectors:
    """Unit vectors in the order of the texts. A text without a known token gets a zero vector."""
    tokenizer, table = load()
    vectors = np.zeros((len(texts), DIMENSION), np.float32)
    clean = [text[:MAX_CHARACTERS].encode("utf-8", "replace").decode("utf-8") for text in texts]
    for row, encoding in enumerate(tokenizer.encode_batch_fast(clean, add_special_tokens=False)):
        ids = np.asarray(encoding.ids, np.int32)
        if len(ids):
            vectors[row] = unit(table[ids].mean(axis=0, dtype=np.float32))
    return vectors
