"""The embedder `fast`: the mean of static token vectors (WordLlama, 256 dimensions).

A table look-up is many times faster than a network: a document of a thousand pages is embedded in about a second.
`multilingual` and `english` give better vectors.
"""

from __future__ import annotations

import numpy as np

from towpath.providers.contract import Vectors
from towpath.providers.local.embeddings.fast_model import DIMENSION, load_fast_model, unit_vectors
from towpath.providers.local.embeddings.local_embedder import LocalEmbedder, RunFunction

BATCH_SIZE = 256
#: The rest of a longer text is ignored.
MAX_CHARACTERS = 60_000


class FastEmbedder(LocalEmbedder):
    model = "wordllama-256"
    dimension = DIMENSION
    languages = frozenset({"en"})
    fusion_weight = 0.2
    noise_similarity = 0.35
    is_light = True

    def __init__(self, run: RunFunction) -> None:
        super().__init__(run, embed_fast, BATCH_SIZE)


def embed_fast(texts: list[str]) -> Vectors:
    """Unit vectors in the order of the texts. A text without a known token gets a zero vector."""
    tokenizer, table = load_fast_model()
    vectors = np.zeros((len(texts), DIMENSION), np.float32)
    clean = [text[:MAX_CHARACTERS].encode("utf-8", "replace").decode("utf-8") for text in texts]
    for row, encoding in enumerate(tokenizer.encode_batch_fast(clean, add_special_tokens=False)):
        ids = np.asarray(encoding.ids, np.int32)
        if len(ids):
            vectors[row] = unit_vectors(table[ids].mean(axis=0, dtype=np.float32))
    return vectors
