"""The stages of a run, stored with it: a later change of its pipeline does not change the run."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from towpath.model.json_types import Json

#: The name in the options of a run.
OPTION = "stages"
#: The stage that reads the file of a document. After it, no stage needs the password of a locked file.
READING_STAGE = "extract"


@dataclass(frozen=True, slots=True)
class RunStages:
    """Stages and follow-ups in order; the variants and the fingerprints of stages by name."""

    stages: tuple[str, ...]
    follow_ups: tuple[str, ...] = ()
    #: The keys of stages whose key is not their name.
    variants: Mapping[str, str] = field(default_factory=dict[str, str])
    #: A result is reused only if the fingerprint of its stage is the same.
    fingerprints: Mapping[str, str] = field(default_factory=dict[str, str])

    def key(self, stage: str) -> str:
        return self.variants.get(stage, stage)

    def after(self, stage: str, done: Collection[str] = ()) -> str | None:
        """The next stage that is not done; None after the last one and after a follow-up."""
        if stage not in self.stages:
            return None
        following = self.stages[self.stages.index(stage) + 1 :]
        return next((name for name in following if name not in done), None)

    def to_json(self) -> Json:
        return {
            "order": list(self.stages),
            "follow_ups": list(self.follow_ups),
            "variants": dict(self.variants),
            "fingerprints": dict(self.fingerprints),
        }


def read_run_stages(options: Json) -> RunStages | None:
    """The stages in the options of a run; None for runs of earlier versions."""
    stored = options.get(OPTION)
    if not isinstance(stored, Mapping):
        return None
    values = cast("Mapping[str, Any]", stored)
    return RunStages(
        tuple(values["order"]),
        tuple(values["follow_ups"]),
        dict(values.get("variants", {})),
        dict(values.get("fingerprints", {})),
    )
