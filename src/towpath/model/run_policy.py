"""The settings of a run, fixed and stored when the run is created. Every worker applies them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any, cast

from towpath.model.json_types import Json


@dataclass(frozen=True, slots=True)
class RunPolicy:
    """The settings of a run. A worker with other settings does not change them."""

    max_attempts: int = 5
    #: `resume`, or `fail`: what happens to the run when its process is lost.
    recovery: str = "resume"
    #: `jitter` or `fixed`.
    backoff: str = "jitter"
    backoff_scale: float = 1.0
    provider_patience_seconds: float = 86_400.0
    patience_by_provider: Mapping[str, float] = field(default_factory=dict[str, float])
    throttle_uses_attempt: bool = False

    def to_json(self) -> Json:
        return asdict(self)


def read_policy(stored: Json, default: RunPolicy) -> RunPolicy:
    """The policy of a run; values that an earlier version did not store come from ``default``."""
    known = {name: value for name, value in stored.items() if name in RunPolicy.__dataclass_fields__}
    return replace(default, **cast("dict[str, Any]", known))
