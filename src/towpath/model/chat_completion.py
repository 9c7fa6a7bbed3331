"""The text that a chat model wrote, and whether it was cut off at the limit."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ModelText:
    """The JSON text of a chat model; ``truncated`` if the model reached its limit of tokens."""

    text: str
    truncated: bool = False
