"""Static embeddings: the mean of a text's token vectors (WordLlama, 256 dimensions). The default.

A table look-up is some fifty times faster than a network and keeps up with reading: documents of a
thousand pages are embedded in about a second. MiniLM knows more about meaning; a setting chooses it.
"""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Awaitable, Callable, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import numpy as np

from towpath.errors import ConfigError
from towpath.providers.contract import Embedded, Vectors

if TYPE_CHECKING:
    from tokenizers import Tokenizer

PACKAGE = "wordllama==0.4.0.post1"
DIMENSION = 256
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
    tokenizer, table = _load()
    vectors = np.zeros((len(texts), DIMENSION), np.float32)
    clean = [text[:LONGEST].encode("utf-8", "replace").decode("utf-8") for text in texts]
    for row, encoding in enumerate(tokenizer.encode_batch_fast(clean, add_special_tokens=False)):
        ids = np.asarray(encoding.ids, np.int32)
        if len(ids):
            mean = table[ids].mean(axis=0, dtype=np.float32)
            vectors[row] = mean / (np.sqrt(np.dot(mean, mean)) or 1.0)
    return vectors


@cache
def _load() -> tuple[Tokenizer, Vectors]:
    from tokenizers import Tokenizer

    folder = _installed()
    tokenizer = Tokenizer.from_file(str(folder / "tokenizers" / "l2_supercat_tokenizer_config.json"))
    # "<s>" written in a document is text, not the mark of a beginning.
    tokenizer.encode_special_tokens = True
    return tokenizer, _table(folder / "weights" / "l2_supercat_256.safetensors")


def _table(path: Path) -> Vectors:
    """The one tensor of the safetensors file, widened to float32."""
    raw = path.read_bytes()
    start = 8 + int.from_bytes(raw[:8], "little")
    entry = json.loads(raw[8:start])["embedding.weight"]
    begin, end = entry["data_offsets"]
    half = np.frombuffer(raw[start + begin : start + end], np.float16)
    return half.reshape(entry["shape"]).astype(np.float32)


def _installed() -> Path:
    found = importlib.util.find_spec("wordllama")
    if found is None or found.origin is None:
        raise ConfigError(f"The local embedding model is not installed. Run: pip install --no-deps {PACKAGE}")
    return Path(found.origin).parent
