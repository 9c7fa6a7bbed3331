"""The outcomes that a stage can return."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from towpath.model.job import WaitingReason
from towpath.model.json_types import Json
from towpath.model.run import FailureType


@dataclass(frozen=True, slots=True)
class Done:
    """The stage is done. ``result`` and ``writes`` are stored in the transaction that completes the job."""

    result: Json = field(default_factory=dict[str, object])
    writes: Sequence[object] = ()


@dataclass(frozen=True, slots=True)
class Suspend:
    """Run the stage again at ``until``, with ``payload`` if given. Uses no attempt.

    ``detail`` is a provider's own message, for people only.
    """

    until: datetime
    reason: WaitingReason
    provider: str | None = None
    detail: str | None = None
    payload: Json | None = None


@dataclass(frozen=True, slots=True)
class Reject:
    """This input can never be processed. ``reason`` is a sentence for people."""

    reason: str
    failure_type: FailureType = FailureType.REJECTED
    #: The provider that rejected the input; with other settings it may accept it.
    provider: str | None = None
    #: The stable code of the reason, for programs.
    code: str | None = None


Outcome = Done | Suspend | Reject
