"""The local embedder that runs MiniLM (English, 384 dimensions, int8).

A text gets the same vector, bit for bit, whatever else is in its batch: each text is one run of the
network on one thread. Speed is the same (measured: 100 texts/s alone, 96 to 101 in batches).
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, cast

import numpy as np

from towpath.errors import ConfigError
from towpath.providers.contract import Embedded, Vectors
from towpath.providers.local.embeddings.minilm_model import MODEL_FILE, TOKENIZER_FILE, ensure_model
from towpath.providers.local.embeddings.minilm_onnx import DIMENSION

if TYPE_CHECKING:
    from tokenizers import Tokenizer

BATCH_SIZE = 32
#: The model was trained on 256 tokens, including one start and one end token.
WINDOW_TOKENS = 254
#: A longer text is divided into up to this many equal windows (2032 tokens). The rest is ignored.
MAX_WINDOWS = 8
#: An upper bound for the length of 2032 tokens.
MAX_CHARACTERS = 60_000
BEGIN_TOKEN, END_TOKEN = 101, 102


class RunFunction(Protocol):
    """Runs a slow function in a thread or in a child process."""

    def __call__(
        self, function: Callable[[Path, list[str]], Vectors], model_dir: Path, texts: list[str], /
    ) -> Awaitable[Vectors]: ...


async def run_in_thread(
    function: Callable[[Path, list[str]], Vectors], model_dir: Path, texts: list[str], /
) -> Vectors:
    return await asyncio.to_thread(function, model_dir, texts)


class MiniLMEmbedder:
    """Embeds texts with MiniLM. The model is built in ``model_dir`` at the first use."""

    provider = "local"
    model = "minilm-l6-int8"
    dimension = DIMENSION
    batch_limit = None

    def __init__(self, model_dir: Path, run: RunFunction = run_in_thread) -> None:
        self._model_dir = model_dir
        self._run = run

    def batches(self, texts: Sequence[str]) -> list[range]:
        return [
            range(start, min(start + BATCH_SIZE, len(texts))) for start in range(0, len(texts), BATCH_SIZE)
        ]

    async def embed(self, texts: Sequence[str]) -> Embedded:
        vectors = await self._run(embed_with_minilm, self._model_dir, list(texts))
        return Embedded(vectors, units={"texts": float(len(texts))})


def embed_with_minilm(model_dir: Path, texts: list[str]) -> Vectors:
    """Unit vectors in the order of the texts. Slow and synchronous; runs in a child process."""
    vectors = np.zeros((len(texts), DIMENSION), np.float32)
    if texts:
        with _load_lock:
            network = _load(model_dir)
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
def _load(model_dir: Path) -> _Network:
    folder = ensure_model(model_dir)
    try:
        return _Network(_open_session(folder / MODEL_FILE), _open_tokenizer(folder / TOKENIZER_FILE))
    except Exception as error:
        raise ConfigError(
            f"The local embedding model in {folder} cannot be loaded ({error}). "
            "Delete that folder. It is built again at the next use."
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
