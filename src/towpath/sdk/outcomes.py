"""The outcomes that an own stage can return."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from towpath.model.content import Field
from towpath.model.outcome import Reject


@dataclass(frozen=True, slots=True)
class Done:
    """The stage is done. Everything here is stored in the transaction that completes its job.

    ``result`` is a small JSON object that later stages read as ``context.results[NAME]`` and the page shows.
    ``text`` replaces the text of the document for the stages behind it; ``fields`` are stored by `publish`. A stage
    that gives one of them names it in ``outputs``.
    """

    result: Mapping[str, object] = field(default_factory=dict[str, object])
    text: str | None = None
    fields: Sequence[Field] = ()


@dataclass(frozen=True, slots=True)
class Suspend:
    """Run the stage again after ``seconds``. Uses no attempt and holds no worker.

    ``state`` is what the stage finds then as ``context.state``. ``provider`` and ``detail`` are shown to people.
    """

    seconds: float
    provider: str | None = None
    detail: str | None = None
    state: Mapping[str, object] | None = None


Outcome = Done | Suspend | Reject

__all__ = ["Done", "Outcome", "Reject", "Suspend"]
