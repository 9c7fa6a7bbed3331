"""Embeddings made on this machine by MiniLM (English, 384 dimensions, int8).

A text gets the same vector, bit for bit, whatever stands beside it in a batch: each text is its own run
of the network, on one thread. That costs no speed (measured: 100 texts/s alone, 96 to 101 in batches).
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
from towpath.providers.local.minilm import MODEL_FILE, TOKENIZER_FILE, ready_model
from towpath.providers.local.minilm_graph import DIMENSION

if TYPE_CHECKING:
    from tokenizers import Tokenizer

BATCH = 32
#: The model was trained on 256 tokens, two of which mark the beginning and the end of a text.
WINDOW = 254
#: A longer text is read in even windows, up to this many (2032 tokens); what comes after does not count.
WINDOWS = 8
#: No text of 2032 tokens is longer than this, unless it is mostly blank.
LONGEST = 60_000
BEGIN, END = 101, 102


class Run(Protocol):
    """Runs a slow function elsewhere: in a thread, or in a child process with limits."""

    def __call__(
        self, function: Callable[[Path, list[str]], Vectors], model_dir: Path, texts: list[str], /
    ) -> Awaitable[Vectors]: ...


async def in_thread(
    function: Callable[[Path, list[str]], Vectors], model_dir: Path, texts: list[str], /
) -> Vectors:
    return await asyncio.to_thread(function, model_dir, texts)


class LocalEmbedder:
    """Keeps its model in ``model_dir``, made at the first use; ``run`` says where the work is done."""

    provider = "local"
    model = "minilm-l6-int8"
    dimension = DIMENSION

    def __init__(self, model_dir: Path, run: Run = in_thread) -> None:
        self._model_dir = model_dir
        self._run = run

    def batches(self, texts: Sequence[str]) -> list[range]:
        return [range(at, min(at + BATCH, len(texts))) for at in range(0, len(texts), BATCH)]

    async def embed(self, texts: Sequence[str]) -> Embedded:
        vectors = await self._run(embed_texts, self._model_dir, list(texts))
        return Embedded(vectors, units={"texts": float(len(texts))})


def embed_texts(model_dir: Path, texts: list[str]) -> Vectors:
    """Unit vectors in the order of the texts. Slow and synchronous: meant for a worker process."""
    vectors = np.zeros((len(texts), DIMENSION), np.float32)
    if texts:
        with _loading:
            network = _load(model_dir)
        for row, text in enumerate(texts):
            vectors[row] = network.embed(text)
    return vectors


class _Session(Protocol):
    """The one method used of onnxruntime's untyped InferenceSession."""

    def run(self, output_names: list[str], input_feed: dict[str, object]) -> list[Vectors]: ...


@dataclass(frozen=True, slots=True)
class _Network:
    session: _Session
    tokenizer: Tokenizer

    def embed(self, text: str) -> Vectors:
        total = np.zeros(DIMENSION, np.float32)
        for ids in _windows(self._ids(text)):
            framed = np.array([[BEGIN, *ids, END]], np.int64)
            mean = self.session.run(["mean"], {"ids": framed})[0][0]
            total += mean * np.float32(framed.size)
        return total / np.sqrt(np.dot(total, total))

    def _ids(self, text: str) -> list[int]:
        # Half a surrogate pair can stand in a Python string, but not in the tokenizer's UTF-8.
        clean = text[:LONGEST].encode("utf-8", "replace").decode("utf-8")
        return self.tokenizer.encode(clean, add_special_tokens=False).ids[: WINDOW * WINDOWS]


def _windows(ids: list[int]) -> list[list[int]]:
    """Even pieces rather than one full and one stub, whose few words would be read without company."""
    count = max(1, -(-len(ids) // WINDOW))
    edges = [len(ids) * n // count for n in range(count + 1)]
    return [ids[a:b] for a, b in pairwise(edges)]


_loading = threading.Lock()


@cache
def _load(model_dir: Path) -> _Network:
    folder = ready_model(model_dir)
    try:
        return _Network(_open_session(folder / MODEL_FILE), _open_tokenizer(folder / TOKENIZER_FILE))
    except Exception as error:
        raise ConfigError(
            f"The local embedding model in {folder} cannot be loaded ({error}). "
            "Delete that folder; it is made again at the next use."
        ) from error


def _open_session(path: Path) -> _Session:
    import onnxruntime

    options = cast(Any, onnxruntime).SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    # The fused kernel is ten times slower than the Add and LayerNormalization it replaces: 12 % of all time.
    session: Any = onnxruntime.InferenceSession(
        path, options, providers=["CPUExecutionProvider"], disabled_optimizers=["SkipLayerNormFusion"]
    )
    return session


def _open_tokenizer(path: Path) -> Tokenizer:
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(path))
    # The packaged file cuts at 128 tokens and pads everything to 128.
    tokenizer.no_truncation()
    tokenizer.no_padding()
    # "[SEP]" written in a document is text, not the mark of its end.
    tokenizer.encode_special_tokens = True
    return tokenizer
