"""The embedder for OpenAI: counts tokens exactly and sends one request per batch."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import numpy as np

from towpath.errors import Ambiguous, ConfigError, Refused, Rejected
from towpath.providers.contract import BatchLimit, Embedded, Vectors
from towpath.providers.openai import prices
from towpath.providers.openai.client import OPENAI_URL, ApiKey, create_client
from towpath.providers.openai.errors import PROVIDER, translate_error
from towpath.providers.token_counter import exact_counter

if TYPE_CHECKING:
    from openai import AsyncOpenAI

_DIMENSIONS = {"text-embedding-3-small": 1536, "text-embedding-3-large": 3072, "text-embedding-ada-002": 1536}


@dataclass(frozen=True, slots=True)
class EmbeddingRequestLimits:
    """The limits of one request. The defaults are those of all OpenAI embedding models."""

    inputs: int = 2048
    tokens_per_input: int = 8192
    tokens_per_request: int = 300_000


OPENAI_LIMITS = EmbeddingRequestLimits()


class OpenAIEmbedder:
    """Embeds texts as unit vectors. Models of other vendors need ``dimensions``."""

    languages = None
    fusion_weight = 0.5
    #: Not measured: the level differs between models, and unrelated texts of some have a cosine of 0.7.
    noise_similarity = 0.2

    def __init__(
        self,
        api_key: ApiKey,
        model: str = "text-embedding-3-small",
        dimensions: int | None = None,
        *,
        deployment: str | None = None,
        base_url: str = OPENAI_URL,
        limits: EmbeddingRequestLimits = OPENAI_LIMITS,
        batch_size: int = OPENAI_LIMITS.inputs,
        batch_tokens: int = OPENAI_LIMITS.tokens_per_request,
        price_per_million: float | None = None,
        timeout: float = 60.0,
    ) -> None:
        native = _DIMENSIONS.get(model)
        dimension = dimensions or native
        if dimension is None:
            raise ConfigError(f"The dimension of the embedding model '{model}' is unknown. Set 'dimensions'.")
        self.provider = PROVIDER
        self.model = model
        self.dimension = dimension
        #: Azure names a deployment in the request; its vectors are those of the model.
        self._deployment = deployment or model
        # Only the third generation supports shorter vectors. Other models reject the parameter.
        sends_dimensions = model.startswith("text-embedding-3") and dimension != native
        self._extra: Mapping[str, int] = {"dimensions": dimension} if sends_dimensions else {}
        self._limits = limits
        self.batch_limit = BatchLimit(_endpoint(base_url, model), batch_size, batch_tokens, _count_tokens)
        self.price_per_million = (
            prices.EMBEDDINGS.get(model) if price_per_million is None else price_per_million
        )
        self._key, self._base_url, self._timeout = api_key, base_url, timeout
        self._client: AsyncOpenAI | None = None

    def batches(self, texts: Sequence[str]) -> list[range]:
        batches: list[range] = []
        start = tokens = 0
        for index, text in enumerate(texts):
            size = _count_tokens(text)
            if size == 0:
                raise Rejected("empty_text", f"Chunk {index + 1} is empty.")
            if size > self._limits.tokens_per_input:
                raise Rejected(
                    "too_long",
                    f"Chunk {index + 1} has {size} tokens. The embedding model accepts"
                    f" {self._limits.tokens_per_input}. Set a smaller chunk size.",
                    self.provider,
                )
            if index - start == self._limits.inputs or tokens + size > self._limits.tokens_per_request:
                batches.append(range(start, index))
                start, tokens = index, 0
            tokens += size
        return [*batches, range(start, len(texts))] if texts else []

    async def embed(self, texts: Sequence[str]) -> Embedded:
        if not texts:
            return Embedded(np.zeros((0, self.dimension), dtype=np.float32))
        if self._client is None:
            self._client = create_client(self._key, self._base_url, self._timeout)
        from openai import OpenAIError

        try:
            # Base64 has a third of the size of decimal numbers.
            response = await self._client.embeddings.with_raw_response.create(
                model=self._deployment,
                input=[_without_surrogates(text) for text in texts],
                encoding_format="base64",
                extra_body=self._extra,
            )
        except OpenAIError as error:
            raise translate_error(error, inputs=len(texts)) from error
        try:
            answer: Any = json.loads(response.content)
            vectors = _vectors(answer["data"], len(texts))
            tokens = int(answer["usage"]["total_tokens"])
        except (ValueError, KeyError, TypeError) as error:
            raise Ambiguous(f"The answer of OpenAI is incomplete ({error!r}). It may be billed.") from error
        if vectors.shape[1] != self.dimension:
            raise Refused(
                f"The model '{self.model}' returns vectors with {vectors.shape[1]} dimensions; {self.dimension}"
                " were expected. Correct the setting 'dimensions'."
            )
        return Embedded(vectors, {"tokens": float(tokens)}, tokens * (self.price_per_million or 0.0) / 1e6)

    async def probe(self) -> None:
        """Embed one word, to verify address, key, model and dimension."""
        await self.embed(["towpath"])

    async def aclose(self) -> None:
        if self._client is not None:
            await self._client.close()
            self._client = None
        if not isinstance(self._key, str):
            await self._key.close()


def _endpoint(base_url: str, model: str) -> str:
    """The server and the model, without credentials that the address may contain."""
    address = urlsplit(base_url)
    return f"{address.netloc.rpartition('@')[2]}{address.path} {model}"


def _count_tokens(text: str) -> int:
    return exact_counter("cl100k_base")(text)


def _vectors(data: Sequence[Mapping[str, Any]], expected: int) -> Vectors:
    """The vectors in the order of their texts. The answer may have another order."""
    rows = sorted(data, key=lambda row: row["index"])
    if [row["index"] for row in rows] != list(range(expected)):
        raise ValueError(f"{len(rows)} vectors for {expected} texts")
    vectors = np.stack([_decode_vector(row["embedding"]) for row in rows])
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    if not np.isfinite(lengths).all():
        raise ValueError("a vector contains a value that is not finite")
    return (vectors / np.maximum(lengths, np.finfo(np.float32).tiny)).astype(np.float32)


def _decode_vector(embedding: str | Sequence[float]) -> Vectors:
    """Decode base64, or plain numbers from servers that do not support base64."""
    if isinstance(embedding, str):
        return np.frombuffer(base64.b64decode(embedding), dtype="<f4")
    return np.asarray(embedding, dtype=np.float32)


def _without_surrogates(text: str) -> str:
    """Replace unpaired surrogates of damaged documents, which JSON cannot contain."""
    return text.encode("utf-8", "replace").decode("utf-8")
