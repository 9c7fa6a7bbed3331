"""Provider calls as the ledger stores them: the request, its state and the cached answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from towpath.model.json_types import Json


@dataclass(frozen=True, slots=True)
class CallRequest:
    """A paid or slow call to a provider. ``key`` is a hash of provider, model, parameters and input."""

    key: str
    provider: str
    model: str


@dataclass(frozen=True, slots=True)
class CallReserved:
    """The call has no answer: make it now. ``repeated`` means that an earlier attempt may have been billed."""

    repeated: bool = False


@dataclass(frozen=True, slots=True)
class CallCached:
    """The call was made before; ``answer`` or ``artifact`` is its cached answer."""

    answer: Json | None
    artifact: str | None


@dataclass(frozen=True, slots=True)
class CallRunning:
    """The call was started and runs at the provider: poll this operation."""

    operation_id: str


@dataclass(frozen=True, slots=True)
class CallInProgress:
    """A live worker is making the same call: ask again at ``until``."""

    until: datetime


CallState = CallReserved | CallCached | CallRunning | CallInProgress


@dataclass(frozen=True, slots=True)
class CallAnswer:
    """A provider's answer to store, with the billed units and the cost in US dollars."""

    answer: Json | None = None
    artifact: str | None = None
    units: Mapping[str, float] = field(default_factory=dict[str, float])
    cost: float = 0.0
