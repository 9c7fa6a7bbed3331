"""Deterministic embeddings without a model: texts that share words get similar vectors.

Each word has a direction derived from its hash. A text is the sum of its words; short words weigh little.
"""

from __future__ import annotations

import hashlib
import math
import re
from collections import Counter
from functools import lru_cache

import numpy as np
import numpy.typing as npt

Vector = npt.NDArray[np.float32]
_WORD = re.compile(r"\w+")


def embed(text: str, native: int, dimensions: int) -> Vector:
    """A unit vector; fewer dimensions are a prefix of the native ones, as the real models do it."""
    features: Counter[str] = Counter()
    for word in _WORD.findall(text.lower()) or [text]:
        features[word] += 1
        features["^" + word[:4]] += 1  # "invoice" and "invoices" are nearly the same
    total = np.zeros(native, dtype=np.float32)
    for feature, times in features.items():
        weight = 0.1 if len(feature) <= 4 else 1.0  # short words are mostly the common ones
        total += weight * math.log1p(times) * _direction(feature, native)
    shortened = total[:dimensions]
    return (shortened / np.linalg.norm(shortened)).astype(np.float32)


@lru_cache(maxsize=4096)
def _direction(feature: str, native: int) -> Vector:
    digest = hashlib.blake2b(feature.encode("utf-8", "replace"), digest_size=8).digest()
    generator = np.random.default_rng(int.from_bytes(digest, "little"))
    return generator.standard_normal(native, dtype=np.float32)
