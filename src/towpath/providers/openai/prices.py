"""List prices of OpenAI in US dollars per million tokens, for cost estimates.

An unlisted model has the price 0. A setting can replace the list prices.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

EMBEDDINGS: Mapping[str, float] = MappingProxyType(
    {"text-embedding-3-small": 0.02, "text-embedding-3-large": 0.13, "text-embedding-ada-002": 0.10}
)
#: Per minute of audio.
TRANSCRIPTIONS: Mapping[str, float] = MappingProxyType(
    {"whisper-1": 0.006, "gpt-4o-transcribe": 0.006, "gpt-4o-mini-transcribe": 0.003}
)


@dataclass(frozen=True, slots=True)
class ChatPrice:
    """Prices of a chat model. ``cached`` is the price of input tokens in the cache of the service."""

    input: float
    cached: float
    output: float

    def cost(self, prompt: int, cached: int, completion: int) -> float:
        """The cost of one answer. ``prompt`` includes the cached tokens."""
        return ((prompt - cached) * self.input + cached * self.cached + completion * self.output) / 1e6


CHATS: Mapping[str, ChatPrice] = MappingProxyType(
    {
        "gpt-4.1": ChatPrice(2.00, 0.50, 8.00),
        "gpt-4.1-mini": ChatPrice(0.40, 0.10, 1.60),
        "gpt-4.1-nano": ChatPrice(0.10, 0.025, 0.40),
        "gpt-4o": ChatPrice(2.50, 1.25, 10.00),
        "gpt-4o-mini": ChatPrice(0.15, 0.075, 0.60),
        "gpt-5": ChatPrice(1.25, 0.125, 10.00),
        "gpt-5-mini": ChatPrice(0.25, 0.025, 2.00),
        "gpt-5-nano": ChatPrice(0.05, 0.005, 0.40),
    }
)
