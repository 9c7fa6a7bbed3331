"""A pipeline: a named and versioned sequence of stages, with follow-ups that run after the document is ready."""

from __future__ import annotations

from dataclasses import dataclass

from towpath.model.run_stages import RunStages
from towpath.stages.contract import Stage


@dataclass(frozen=True, slots=True)
class StageEntry:
    """One named stage of a pipeline."""

    name: str
    stage: Stage


@dataclass(frozen=True, slots=True)
class Pipeline:
    name: str
    version: int
    stages: tuple[StageEntry, ...]
    follow_ups: tuple[StageEntry, ...] = ()
    #: Stages of jobs that are queued for a published document at any time, such as after a change of the model.
    maintenance: tuple[StageEntry, ...] = ()
    #: Equal stages have equal fingerprints, see `compose.py`; empty if results are reused by name.
    run_stages: RunStages | None = None

    @property
    def stage_names(self) -> tuple[str, ...]:
        return tuple(entry.name for entry in self.stages)

    @property
    def entries(self) -> tuple[StageEntry, ...]:
        return (*self.stages, *self.follow_ups, *self.maintenance)

    def stages_of_new_runs(self) -> RunStages:
        """What is stored with a run of this pipeline."""
        return self.run_stages or RunStages(self.stage_names, tuple(entry.name for entry in self.follow_ups))
