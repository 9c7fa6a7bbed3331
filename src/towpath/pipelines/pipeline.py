"""A pipeline: a named, versioned order of stages, and what follows once the document is ready."""

from __future__ import annotations

from dataclasses import dataclass

from towpath.stages.contract import Stage


@dataclass(frozen=True, slots=True)
class Step:
    """One named stage of a pipeline."""

    name: str
    stage: Stage


@dataclass(frozen=True, slots=True)
class Pipeline:
    name: str
    version: int
    steps: tuple[Step, ...]
    follow_ups: tuple[Step, ...] = ()

    @property
    def stages(self) -> tuple[str, ...]:
        return tuple(step.name for step in self.steps)

    def step(self, name: str) -> Step | None:
        return next((step for step in (*self.steps, *self.follow_ups) if step.name == name), None)

    def after(self, name: str) -> str | None:
        """The stage that comes after ``name``; None after the last one and after a follow-up."""
        names = self.stages
        if name not in names or name == names[-1]:
            return None
        return names[names.index(name) + 1]
