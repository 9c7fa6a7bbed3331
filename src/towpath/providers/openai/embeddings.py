"""OpenAI's embeddings as an Embedder: batches counted exactly, one request for each."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from towpath.errors import Ambiguous, ConfigError, Refused, Rejected
from towpath.providers.contract import Embedded, Vectors
from towpath.providers.openai import prices
from towpath.providers.openai.client import OPENAI_URL, connect
from towpath.providers.openai.failures import translate
from towpath.providers.tokens import exact_counter

if TYPE_CHECKING:
    from openai import AsyncOpenAI

_DIMENSIONS = {"text-embedding-3-small": 1536, "text-embedding-3-large": 3072, "text-embedding-ada-002": 1536}


@dataclass(frozen=True, slots=True)
class Limits:
    """What one request may hold; the defaults are OpenAI's, for all its embedding models."""

    inputs: int = 2048
    tokens_per_input: int = 8192
    tokens_per_request: int = 300_000


OPENAI_LIMITS = Limits()


class OpenAIEmbedder:
    """Turns texts into unit vectors. A model of another vendor needs ``dimensions`` named."""

    def __init__(
        self,
        api_key: str,
        model: str = "text-embedding-3-small",
        dimensions: int | None = None,
        *,
        base_url: str = OPENAI_URL,
        limits: Limits = OPENAI_LIMITS,
        price_per_million: float | None = None,
        timeout: float = 60.0,
    ) -> None:
        native = _DIMENSIONS.get(model)
        dimension = dimensions or native
        if dimension is None:
            raise ConfigError(
                f"The dimension of the embedding model '{model}' is not known: set 'dimensions' to it."
            )
        self.provider = "openai"
        self.model = model
        self.dimension = dimension
        # Only the third generation can be asked for shorter vectors; others refuse the parameter.
        asks = model.startswith("text-embedding-3") and dimension != native
        self._extra: Mapping[str, int] = {"dimensions": dimension} if asks else {}
        self._limits = limits
        self._price = prices.EMBEDDINGS.get(model, 0.0) if price_per_million is None else price_per_million
        self._key, self._base_url, self._timeout = api_key, base_url, timeout
        self._client: AsyncOpenAI | None = None

    def batches(self, texts: Sequence[str]) -> list[range]:
        count = exact_counter("cl100k_base")
        found: list[range] = []
        start = tokens = 0
        for index, text in enumerate(texts):
            size = count(text)
            if size == 0:
                raise Rejected("empty_text", f"Passage {index + 1} is empty; there is nothing to embed.")
            if size > self._limits.tokens_per_input:
                raise Rejected(
                    "too_long",
                    f"Passage {index + 1} has {size} tokens where the embedding model takes"
                    f" {self._limits.tokens_per_input}. Set a smaller chunk size.",
                )
            if index - start == self._limits.inputs or tokens + size > self._limits.tokens_per_request:
                found.append(range(start, index))
                start, tokens = index, 0
            tokens += size
        return [*found, range(start, len(texts))] if texts else []

    async def embed(self, texts: Sequence[str]) -> Embedded:
        if not texts:
            return Embedded(np.zeros((0, self.dimension), dtype=np.float32))
        if self._client is None:
            self._client = connect(self._key, self._base_url, self._timeout)
        from openai import OpenAIError

        try:
            # Base64 is a third of the size of the numbers written out.
            response = await self._client.embeddings.with_raw_response.create(
                model=self.model,
                input=[_sendable(text) for text in texts],
                encoding_format="base64",
                extra_body=self._extra,
            )
        except OpenAIError as error:
            raise translate(error) from error
        try:
            answer: Any = json.loads(response.content)
            vectors = _vectors(answer["data"], len(texts))
            tokens = int(answer["usage"]["total_tokens"])
        except (ValueError, KeyError, TypeError) as error:
            raise Ambiguous(
                f"OpenAI's answer is not complete ({error!r}); it may have been paid for."
            ) from error
        if vectors.shape[1] != self.dimension:
            raise Refused(
                f"The model '{self.model}' gives vectors of {vectors.shape[1]} numbers where {self.dimension}"
                " are expected. Set 'dimensions' to what it gives."
            )
        return Embedded(vectors, {"tokens": float(tokens)}, tokens * self._price / 1e6)

    async def aclose(self) -> None:
        if self._client is not None:
            await self._client.close()
            self._client = None


def _vectors(data: Sequence[Mapping[str, Any]], expected: int) -> Vectors:
    """The vectors in the order of their texts, which need not be the order of the answer."""
    rows = sorted(data, key=lambda row: row["index"])
    if [row["index"] for row in rows] != list(range(expected)):
        raise ValueError(f"{len(rows)} vectors for {expected} texts")
    vectors = np.stack([_numbers(row["embedding"]) for row in rows])
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    if not np.isfinite(lengths).all():
        raise ValueError("a vector holds something that is not a number")
    return (vectors / np.maximum(lengths, np.finfo(np.float32).tiny)).astype(np.float32)


def _numbers(embedding: str | Sequence[float]) -> Vectors:
    """Base64 as it was asked for, or plain numbers from a server that does not know it."""
    if isinstance(embedding, str):
        return np.frombuffer(base64.b64decode(embedding), dtype="<f4")
    return np.asarray(embedding, dtype=np.float32)


def _sendable(text: str) -> str:
    """Half a surrogate pair, which damaged documents hold, cannot be sent as JSON."""
    return text.encode("utf-8", "replace").decode("utf-8")
