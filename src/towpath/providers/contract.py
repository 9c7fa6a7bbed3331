"""The contracts of providers, which each vendor implements in a package of its own.

Providers do not retry; the worker does. Every failure is raised as one of ``towpath.errors``:
Rejected, Throttled, Refused, Transient or Ambiguous.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from towpath.model.content import Extraction
from towpath.model.provider_answer import Answer, Pending

Vectors = npt.NDArray[np.float32]


class Source(Protocol):
    """The stored bytes that are the input of a provider."""

    @property
    def size(self) -> int: ...
    @property
    def media_type(self) -> str: ...
    def stream(self) -> AsyncIterator[bytes]: ...
    async def signed_url(self) -> str | None:
        """A URL from which the provider can download the bytes; None if the storage cannot sign one."""
        ...


@runtime_checkable
class LongRunning(Protocol):
    """A service with long-running operations: started once, then polled, one request per claim."""

    provider: str
    model: str

    def parameters(self) -> Mapping[str, str]:
        """Everything that changes the answer; part of its cache key."""
        ...

    async def start(self, source: Source) -> str:
        """Send the input once and return the operation id, which the caller saves immediately."""
        ...

    async def poll(self, operation: str) -> Pending | Answer:
        """Send one status request. Raises ``OperationLost`` if the provider no longer knows the operation."""
        ...

    async def delete_remote_copy(self, operation: str) -> None:
        """Delete the result at the provider, if it has such a request."""
        ...


class Analyzer(LongRunning, Protocol):
    """A service that reads documents as a long-running operation."""

    def read(self, answer: bytes) -> Extraction:
        """Parse the stored answer into an Extraction, without a provider call."""
        ...


@dataclass(frozen=True, slots=True)
class Embedded:
    """The unit vectors of one batch, in the order of its texts, and what they cost."""

    vectors: Vectors
    units: Mapping[str, float] = field(default_factory=dict[str, float])
    cost: float = 0.0


@dataclass(frozen=True, slots=True)
class BatchLimit:
    """The size of one request to an embedding server, by the settings. The server may accept less."""

    #: The server and model for which an accepted batch size is stored.
    endpoint: str
    inputs: int
    tokens: int
    count_tokens: Callable[[str], int]


class Embedder(Protocol):
    """Embeds texts in batches within the limits of the provider."""

    provider: str
    model: str
    dimension: int

    @property
    def languages(self) -> frozenset[str] | None:
        """The languages the model knows, as two-letter codes; None where they are not published."""
        ...

    @property
    def fusion_weight(self) -> float:
        """The share of vector similarity in the score of hybrid search, from 0 to 1; the words have the rest."""
        ...

    @property
    def noise_similarity(self) -> float:
        """A cosine that a query without meaning hardly exceeds with any passage."""
        ...

    @property
    def price_per_million(self) -> float | None:
        """US dollars per million tokens; 0 for a local model, None where it is not known."""
        ...

    @property
    def batch_limit(self) -> BatchLimit | None:
        """None for a local model: each of its batches is one call."""
        ...

    def batches(self, texts: Sequence[str]) -> list[range]:
        """Divide the texts into batches; deterministic and independent of the settings, so that answers stay cached."""
        ...

    async def embed(self, texts: Sequence[str]) -> Embedded:
        """Embed one batch. Raises ``BatchTooLarge`` if the server accepts only smaller ones."""
        ...


@dataclass(frozen=True, slots=True)
class Reranked:
    """The relevance of each text; ``cost`` in US dollars, 0 if the answer was remembered."""

    scores: Sequence[float]
    cost: float
    remembered: bool = False


class Reranker(Protocol):
    model: str

    async def rerank(self, query: str, texts: Sequence[str]) -> Reranked:
        """The relevance of the texts in their order. Raises `ProviderError`."""
        ...
