"""The results of a provider call: an answer, or an operation that is still running."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer of a provider call: its bytes, the units it used, and its cost in US dollars."""

    body: bytes
    units: Mapping[str, float] = field(default_factory=dict[str, float])
    cost: float = 0.0
    #: The key of the blob that holds ``body``, once it is stored as one.
    blob_key: str | None = None

    @property
    def text(self) -> str:
        """The body as UTF-8 text."""
        return self.body.decode("utf-8")

    def json(self) -> Any:
        """The body decoded from JSON."""
        return json.loads(self.body)


@dataclass(frozen=True, slots=True)
class Pending:
    """The operation still runs. ``retry_after`` is in seconds, where the provider says when to poll again."""

    retry_after: float | None = None
