"""The base class of local embedders: batches of a fixed size, run in a child process, at no cost."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Protocol

from towpath.providers.contract import Embedded, Vectors


class RunFunction(Protocol):
    """Runs a slow function in a child process."""

    def __call__(
        self, function: Callable[[list[str]], Vectors], texts: list[str], /
    ) -> Awaitable[Vectors]: ...


class LocalEmbedder:
    """Embeds texts with a model of this machine."""

    provider = "local"
    batch_limit = None
    price_per_million = 0.0
    model: str
    #: Whether a text takes less than a millisecond.
    is_light = False

    def __init__(self, run: RunFunction, function: Callable[[list[str]], Vectors], batch_size: int) -> None:
        """``function`` gives unit vectors in the order of the texts; it runs in the child process."""
        self._run = run
        self.function = function
        self._batch_size = batch_size

    def batches(self, texts: Sequence[str]) -> list[range]:
        size = self._batch_size
        return [range(start, min(start + size, len(texts))) for start in range(0, len(texts), size)]

    async def embed(self, texts: Sequence[str]) -> Embedded:
        vectors = await self._run(self.function, list(texts))
        return Embedded(vectors, units={"texts": float(len(texts))})
