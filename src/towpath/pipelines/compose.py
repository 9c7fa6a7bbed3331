"""Composes pipelines from declared stages: checks their order and types, and freezes the plan of a run.

A plan is stored with each run. A later change of the pipeline changes new runs only.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from towpath.config.pipelines import PipelineRule, PipelineSettings
from towpath.errors import ConfigError
from towpath.model.run_stages import RunStages
from towpath.model.stage_declaration import FIELDS, PUBLISHED, StageDeclaration
from towpath.pipelines.shipped_stages import EXTRACT_FIELDS, MAINTENANCE, SHIPPED, SHIPPED_PIPELINES


@dataclass(frozen=True, slots=True)
class ComposedPipeline:
    """A pipeline whose order and types are checked."""

    name: str
    stages: tuple[StageDeclaration, ...]
    follow_ups: tuple[StageDeclaration, ...] = ()

    @property
    def stage_names(self) -> tuple[str, ...]:
        return tuple(stage.name for stage in self.stages)

    def run_stages(self) -> RunStages:
        """What a run of this pipeline keeps, whatever the settings say later."""
        entries = (*self.stages, *self.follow_ups)
        return RunStages(
            self.stage_names,
            tuple(stage.name for stage in self.follow_ups),
            {stage.name: stage.key for stage in entries if stage.key != stage.name},
            fingerprints(self.stages),
        )


def compose_all(
    settings: Sequence[PipelineSettings],
    own: Iterable[StageDeclaration],
    *,
    field_extractor: bool = False,
) -> dict[str, ComposedPipeline]:
    """The shipped pipelines and those of the settings, by name. A mistake raises ConfigError.

    ``field_extractor``: the settings name one, so that there is a stage `extract_fields`.
    """
    available = available_stages(own, field_extractor=field_extractor)
    wanted = {
        name: PipelineSettings(name, stages, follow_ups)
        for name, (stages, follow_ups) in SHIPPED_PIPELINES.items()
    }
    if field_extractor:
        document = wanted["document"]
        wanted["document"] = replace(document, follow_ups=(*document.follow_ups, EXTRACT_FIELDS))
    wanted |= {pipeline.name: pipeline for pipeline in settings}
    return {name: compose(pipeline, available) for name, pipeline in wanted.items()}


def available_stages(
    own: Iterable[StageDeclaration], *, field_extractor: bool = False
) -> dict[str, tuple[StageDeclaration, ...]]:
    """The shipped stages and those of packages, by name; several variants of one name stand together."""
    stages: dict[str, tuple[StageDeclaration, ...]] = {}
    for stage in SHIPPED:
        if stage.name == EXTRACT_FIELDS and not field_extractor:
            continue
        stages[stage.name] = (*stages.get(stage.name, ()), stage)
    for stage in own:
        if stage.name in stages or stage.name in MAINTENANCE:
            raise ConfigError(
                f"The package {stage.package} offers a stage `{stage.name}`, which Towpath has itself. Rename it."
            )
        stages[stage.name] = (stage,)
    return stages


def compose(
    settings: PipelineSettings, available: Mapping[str, tuple[StageDeclaration, ...]]
) -> ComposedPipeline:
    name = settings.name
    names = (*settings.stages, *settings.follow_ups)
    for stage in names:
        if stage == EXTRACT_FIELDS and stage not in available:
            raise ConfigError(
                f"The pipeline `{name}` names the stage `{stage}`, which needs the setting `field_extractor`."
            )
        if stage not in available:
            raise ConfigError(
                f"The pipeline `{name}` names a stage `{stage}`, which does not exist. Install the package that offers "
                f"it, or use one of these: {', '.join(sorted(available))}."
            )
        if names.count(stage) > 1:
            raise ConfigError(f"The pipeline `{name}` names the stage `{stage}` twice. Remove one of them.")
    stages: list[StageDeclaration] = []
    for stage in settings.stages:
        stages.append(_choose(name, available[stage], stages, settings.stages, available))
    for stage in stages:
        if FIELDS in stage.outputs and PUBLISHED in _outputs(stages[: stages.index(stage)]):
            raise ConfigError(
                f"In the pipeline `{name}` the stage `{stage.name}` makes fields after `publish`, which stores them. "
                f"Move `{stage.name}` before `publish`."
            )
    follow_ups = tuple(
        _choose(name, available[stage], stages, settings.stages, available) for stage in settings.follow_ups
    )
    return ComposedPipeline(name, tuple(stages), follow_ups)


def check_rules(rules: Sequence[PipelineRule], pipelines: Iterable[str]) -> None:
    """Reject rules that choose a pipeline that does not exist."""
    known = sorted(pipelines)
    for rule in rules:
        if rule.pipeline not in known:
            raise ConfigError(
                f"A rule of `pipeline_rules` chooses the pipeline `{rule.pipeline}`, which does not exist. "
                f"Pipelines: {', '.join(known)}."
            )


def fingerprints(stages: Sequence[StageDeclaration]) -> dict[str, str]:
    """Equal for a stage of equal version whose inputs come from stages with equal fingerprints."""
    found: dict[str, str] = {}
    producer: dict[str, str] = {}
    for stage in stages:
        identity = [
            stage.key,
            stage.version,
            [[kind, producer.get(kind, "")] for kind in sorted(stage.inputs)],
        ]
        found[stage.name] = hashlib.sha256(json.dumps(identity).encode()).hexdigest()[:16]
        producer |= dict.fromkeys(stage.outputs, found[stage.name])
    return found


def _outputs(stages: Iterable[StageDeclaration]) -> set[str]:
    return {kind for stage in stages for kind in stage.outputs}


def _choose(
    pipeline: str,
    variants: Sequence[StageDeclaration],
    before: Sequence[StageDeclaration],
    names: Sequence[str],
    available: Mapping[str, tuple[StageDeclaration, ...]],
) -> StageDeclaration:
    """The variant whose inputs are made by the stages before it; of several, the one with the newest inputs."""
    made = _outputs(before)
    fitting = [stage for stage in variants if made.issuperset(stage.inputs)]
    if fitting:
        return max(fitting, key=lambda stage: _newest(stage, before))
    stage = min(variants, key=lambda stage: len(set(stage.inputs) - made))
    missing = next(kind for kind in stage.inputs if kind not in made)
    makers = sorted(
        name
        for name, choices in available.items()
        if any(missing in choice.outputs and missing not in choice.inputs for choice in choices)
    )
    later = [name for name in makers if name in names]
    if later:
        advice = f"Move `{stage.name}` behind `{later[0]}`."
    elif makers:
        advice = f"Add {' or '.join(f'`{name}`' for name in makers)} before it."
    else:
        advice = "No installed package offers a stage that makes it."
    raise ConfigError(
        f"In the pipeline `{pipeline}` the stage `{stage.name}` needs `{missing}`, which no stage before it makes. "
        f"{advice}"
    )


def _newest(stage: StageDeclaration, before: Sequence[StageDeclaration]) -> int:
    return max(
        (index for index, other in enumerate(before) if set(other.outputs) & set(stage.inputs)), default=-1
    )
