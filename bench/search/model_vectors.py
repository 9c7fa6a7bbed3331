"""Vectors of the local model, cached in the temporary folder for the next run."""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from towpath.providers.contract import Embedded, Vectors
from towpath.providers.local.embeddings.english import EnglishEmbedder, embed_english

CACHE = Path(tempfile.gettempdir()) / "towpath-bench-vectors"


def vectors_of(texts: Sequence[str]) -> Vectors:
    digest = hashlib.sha256("\n".join([EnglishEmbedder.model, *texts]).encode()).hexdigest()[:16]
    cache_file = CACHE / f"vectors-{digest}.npy"
    if not cache_file.exists():
        CACHE.mkdir(exist_ok=True)
        np.save(cache_file, embed_english(list(texts)))
    return np.load(cache_file)


class PrecomputedEmbedder:
    """An embedder with precomputed vectors, to measure the search without the embedding."""

    provider = "bench"
    model = EnglishEmbedder.model
    dimension = EnglishEmbedder.dimension
    price_per_million = 0.0
    languages = EnglishEmbedder.languages
    fusion_weight = EnglishEmbedder.fusion_weight
    noise_similarity = EnglishEmbedder.noise_similarity
    batch_limit = None

    def __init__(self, texts: Sequence[str]) -> None:
        self._vectors = dict(zip(texts, vectors_of(texts), strict=True))

    def batches(self, texts: Sequence[str]) -> list[range]:
        return [range(len(texts))]

    def __getitem__(self, text: str) -> Vectors:
        return self._vectors[text]

    async def embed(self, texts: Sequence[str]) -> Embedded:
        return Embedded(np.stack([self._vectors[text] for text in texts]))
