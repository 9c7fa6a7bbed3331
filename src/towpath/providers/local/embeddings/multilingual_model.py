"""The network of universal-sentence-encoder-multilingual 3: token ids of several texts in, unit vectors out.

Each token has a vector of 512 numbers. Three branches look at 2, 3 and 5 neighbouring tokens: a projection with layer
normalisation, then two convolutions with residual connections. The mean over the tokens passes four dense layers.

What depends on one token alone (projection, products of the first convolution) is computed once per distinct token
of the batch. The last projection of the branches is linear, so it is applied once per text, after the sum over its
tokens. Both leave the result unchanged and save two thirds of the multiplications.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float32]
Indices = npt.NDArray[np.intp]

DIMENSION = 512
CHANNELS = 256
#: Tokens per branch, and how many of them are before the token itself.
BRANCHES = ((2, 0), (3, 1), (5, 2))
#: Empty rows between two texts, so that no convolution reaches into the neighbouring text.
PADDING = 2
#: Tokens per step: the intermediate results then fit into the cache of the processor.
TOKENS_PER_STEP = 1024


@dataclass(frozen=True, slots=True)
class _Tokens:
    """The distinct tokens of a batch. The last row of each array is the padding, all zeros."""

    vectors: Array
    projected: list[Array]
    products: list[Array]


class MultilingualNetwork:
    """Reads the weights from a folder; the table of token vectors stays on disk and is shared by all processes."""

    def __init__(self, folder: Path) -> None:
        self._table: npt.NDArray[np.uint8] = np.load(folder / "table.npy", mmap_mode="r")
        with np.load(folder / "weights.npz", allow_pickle=False) as archive:
            self._weights: dict[str, Array] = {name: archive[name] for name in archive.files}
        self._epsilon = np.float32(self._weights["eps"])
        # One product gives the share of a token in the result at each position that sees it.
        self._first: list[Array] = [
            np.concatenate(np.split(self._weights[f"w1_{width}"], width), axis=1) for width, _ in BRANCHES
        ]

    def encode(self, texts: Sequence[Sequence[int]]) -> Array:
        """A unit vector per text. A text is its token ids, including the begin and the end token."""
        vectors = np.empty((len(texts), DIMENSION), np.float32)
        if not texts:
            return vectors
        ids, rows = np.unique(np.concatenate([np.asarray(text) for text in texts]), return_inverse=True)
        tokens = self._prepare(ids)
        lengths = np.array([len(text) for text in texts])
        starts = np.concatenate([[0], np.cumsum(lengths)])
        for first, last in _steps(lengths):
            step_rows = rows[starts[first] : starts[last]]
            vectors[first:last] = self._encode_step(tokens, step_rows, lengths[first:last])
        return vectors

    def _prepare(self, ids: Indices) -> _Tokens:
        w = self._weights
        vectors = np.zeros((len(ids) + 1, DIMENSION), np.float32)
        vectors[:-1] = self._table[ids]
        vectors[:-1] *= w["row_scale"][ids, None]
        vectors[:-1] += w["row_offset"][ids, None]
        projected: list[Array] = []
        products: list[Array] = []
        for (width, _), first in zip(BRANCHES, self._first, strict=True):
            states: Array = vectors @ w[f"proj{width}"]
            states += w[f"proj_b{width}"]
            self._normalize(states)
            states *= w[f"ln_g{width}"]
            states += w[f"ln_b{width}"]
            states[-1] = 0.0
            projected.append(states)
            product: Array = states @ first
            products.append(product.reshape(len(states), width, CHANNELS))
        return _Tokens(vectors, projected, products)

    def _encode_step(self, tokens: _Tokens, rows: Indices, lengths: Indices) -> Array:
        # The layout of a step: padding, first text, padding, second text, …, padding.
        starts = np.concatenate([[0], np.cumsum(lengths + PADDING)[:-1]])
        is_token = np.zeros(int(lengths.sum()) + PADDING * len(lengths), bool)
        is_token[np.arange(len(rows)) + np.repeat(PADDING * np.arange(len(lengths)), lengths)] = True
        padded = np.full(len(is_token) + 2 * PADDING, len(tokens.vectors) - 1)
        inner = padded[PADDING:-PADDING]
        inner[is_token] = rows
        states = np.empty((len(inner), DIMENSION + len(BRANCHES) * CHANNELS), np.float32)
        np.take(tokens.vectors, inner, axis=0, out=states[:, :DIMENSION])
        mask = is_token.astype(np.float32)
        for branch in range(len(BRANCHES)):
            begin = DIMENSION + branch * CHANNELS
            states[:, begin : begin + CHANNELS] = self._convolve(tokens, branch, padded, mask[:, None])
        w = self._weights
        self._normalize(states)
        states *= mask[:, None]
        counts = lengths[:, None].astype(np.float32)
        sums = np.add.reduceat(states, starts, axis=0) * w["ln_g"] + counts * w["ln_b"]
        mean = np.asarray(sums @ w["cnn_W"], np.float32)
        mean += counts * w["cnn_b"]
        mean /= np.sqrt(counts)
        return self._dense(mean)

    def _convolve(self, tokens: _Tokens, branch: int, padded: Indices, mask: Array) -> Array:
        """Two convolutions over the padded tokens, with residual connections."""
        w = self._weights
        width, before = BRANCHES[branch]
        count = len(mask)
        hidden = np.zeros((len(padded), CHANNELS), np.float32)
        inner = hidden[PADDING:-PADDING]
        for offset in range(width):
            begin = PADDING + offset - before
            inner += tokens.products[branch][padded[begin : begin + count], offset]
        inner += w[f"b1_{width}"]
        np.maximum(inner, 0.0, out=inner)
        inner += tokens.projected[branch][padded[PADDING:-PADDING]]
        inner *= mask
        windows = np.lib.stride_tricks.sliding_window_view(hidden.reshape(-1), width * CHANNELS)
        begin = PADDING - before
        result = windows[begin * CHANNELS :: CHANNELS][:count] @ w[f"w2_{width}"]
        result += w[f"b2_{width}"]
        np.maximum(result, 0.0, out=result)
        result += inner
        return result

    def _dense(self, mean: Array) -> Array:
        w = self._weights
        hidden = np.maximum(mean @ w["d0"], 0.0)
        narrow = np.maximum(mean @ w["p1"] + hidden @ w["d1"], 0.0)
        wide = np.maximum(narrow @ w["d2"], 0.0)
        vectors = np.tanh(narrow @ w["p3"] + wide @ w["d3"])
        return vectors / np.sqrt(np.einsum("ij,ij->i", vectors, vectors))[:, None]

    def _normalize(self, states: Array) -> None:
        """Layer normalisation of each row, in place."""
        states -= states.mean(axis=1, keepdims=True)
        variance = np.einsum("ij,ij->i", states, states) / np.float32(states.shape[1])
        states *= (1.0 / np.sqrt(variance + self._epsilon))[:, None]


def _steps(lengths: Indices) -> Iterator[tuple[int, int]]:
    """Ranges of texts with about TOKENS_PER_STEP tokens; a longer text is a step of its own."""
    first = tokens = 0
    for index, length in enumerate(lengths.tolist()):
        if index > first and tokens + length > TOKENS_PER_STEP:
            yield first, index
            first, tokens = index, 0
        tokens += length
    yield first, len(lengths)
