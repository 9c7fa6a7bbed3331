"""A pipeline: a named and versioned sequence of stages, with follow-ups that run after the document is ready."""

from __future__ import annotations

from dataclasses import dataclass

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

    @property
    def stage_names(self) -> tuple[str, ...]:
        return tuple(entry.name for entry in self.stages)

    def entry(self, name: str) -> StageEntry | None:
        return next((entry for entry in (*self.stages, *self.follow_ups) if entry.name == name), None)

    def after(self, name: str) -> str | None:
        """The stage that comes after ``name``; None after the last one and after a follow-up."""
        names = self.stage_names
        if name not in names or name == names[-1]:
            return None
        return names[names.index(name) + 1]
