"""Contracts of embedders, transcribers and analyzers of calls that a package offers, and a base class of embedders.

An entry point names a function or class that is called with the table `[stages.NAME]` of the settings file.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from towpath.providers.contract import BatchLimit, Embedded, Embedder
from towpath.stages.capabilities import CallAnalyzer, Transcriber, WindowTranscriber


class OwnEmbedder:
    """The base class of an embedder: set ``provider``, ``model`` and ``dimension``, and write ``vectors``."""

    provider: str = "own"
    #: The name under which vectors are stored: another model has another name.
    model: str
    dimension: int
    languages: frozenset[str] | None = None
    #: The share of vector similarity in the score of hybrid search, from 0 to 1.
    fusion_weight: float = 0.5
    #: A cosine that a query without meaning hardly exceeds with any passage.
    noise_similarity: float = 0.3
    #: US dollars per million tokens; None if it is not known.
    price_per_million: float | None = None
    batch_limit: BatchLimit | None = None
    #: Texts of one call. Stored answers are found by their batch, so another size pays again.
    batch_size: int = 64

    async def vectors(self, texts: Sequence[str]) -> Any:
        """One vector for each text, as rows of an array or as lists."""
        raise NotImplementedError

    def batches(self, texts: Sequence[str]) -> list[range]:
        size = self.batch_size
        return [range(start, min(start + size, len(texts))) for start in range(0, len(texts), size)]

    async def embed(self, texts: Sequence[str]) -> Embedded:
        vectors = np.asarray(await self.vectors(texts), np.float32).reshape(len(texts), self.dimension)
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        unit = (vectors / np.where(lengths == 0.0, 1.0, lengths)).astype(np.float32)
        return Embedded(unit, {"texts": float(len(texts))})


__all__ = ["CallAnalyzer", "Embedder", "OwnEmbedder", "Transcriber", "WindowTranscriber"]
