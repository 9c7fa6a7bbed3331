"""What a provider promises. Vendors live in the rooms beside this file and never see each other.

No provider retries by itself: the queue retries, and it alone. Every failure is raised as one of
``towpath.errors``: Rejected, Throttled, Refused, Transient or Ambiguous.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from towpath.model.content import Extraction

Vectors = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Answer:
    """What a paid call gave: the bytes to keep, what was used, and what it cost in US dollars."""

    body: bytes
    units: Mapping[str, float] = field(default_factory=dict[str, float])
    cost: float = 0.0


@dataclass(frozen=True, slots=True)
class Pending:
    """The operation still runs. ``retry_after`` is the provider's own wish, in seconds."""

    retry_after: float | None = None


class Source(Protocol):
    """The bytes a provider is asked to read."""

    @property
    def size(self) -> int: ...
    @property
    def media_type(self) -> str: ...
    def stream(self) -> AsyncIterator[bytes]: ...
    async def signed_url(self) -> str | None:
        """An address the provider can fetch by itself, where the storage can sign one."""
        ...


@runtime_checkable
class LongRunning(Protocol):
    """A service that starts an operation and is polled, one request per claim."""

    provider: str
    model: str

    def parameters(self) -> Mapping[str, str]:
        """All that shapes the answer; part of the key under which it is remembered."""
        ...

    async def start(self, source: Source) -> str:
        """Send the input once; return the operation's id, to be saved at once."""
        ...

    async def poll(self, operation: str) -> Pending | Answer:
        """Ask once. An operation the provider no longer knows raises ``OperationLost``."""
        ...

    async def forget(self, operation: str) -> None:
        """Remove the provider's own copy, where it keeps one and can be asked to."""
        ...


class Analyzer(LongRunning, Protocol):
    """A long-running reader of documents."""

    def read(self, answer: bytes) -> Extraction:
        """Turn the stored answer into an Extraction; pure, so that it can be done again for free."""
        ...


@dataclass(frozen=True, slots=True)
class Embedded:
    """The vectors of one batch, unit length, in the order of its texts."""

    vectors: Vectors
    units: Mapping[str, float] = field(default_factory=dict[str, float])
    cost: float = 0.0


class Embedder(Protocol):
    """Turns texts into vectors, in batches that fit the provider's limits."""

    provider: str
    model: str
    dimension: int

    def batches(self, texts: Sequence[str]) -> list[range]:
        """Cut the texts into runs that each make one call; deterministic."""
        ...

    async def embed(self, texts: Sequence[str]) -> Embedded: ...
