"""Composes the pipelines of the settings from shipped stages and from stages of packages."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from towpath.config import Settings
from towpath.errors import ConfigError
from towpath.pipelines.compose import ComposedPipeline, available_stages, check_rules, compose_all
from towpath.pipelines.installed_pipelines import InstalledPipelines, ListedPipeline
from towpath.pipelines.pipeline import Pipeline, StageEntry
from towpath.pipelines.shipped_stages import CALL
from towpath.pipelines.stage_labels import add_labels
from towpath.plugins import STAGES, load_plugins, own_readers
from towpath.readers.registry import is_shipped
from towpath.sdk.plugin_stage_adapter import adapt_stage
from towpath.sdk.stage import OwnStage
from towpath.storage.contract import BlobStore


@dataclass(frozen=True, slots=True)
class Plugins:
    """The stages that installed packages offer, and the pipelines that the settings make of all stages."""

    stages: tuple[OwnStage, ...]
    pipelines: Mapping[str, ComposedPipeline]


def load_pipelines(settings: Settings) -> Plugins:
    """Load the packages and check the pipelines. A mistake raises ConfigError, which says what to change."""
    _check_readers()
    hint = "Decorate an async function with `towpath.sdk.stage`."
    own: list[OwnStage] = []
    for plugin in load_plugins(STAGES, OwnStage, hint):
        if plugin.name != plugin.value.name:
            raise ConfigError(
                f"The package {plugin.package} offers the stage `{plugin.value.name}` by an entry point named "
                f"`{plugin.name}` ({STAGES}). Give both the same name."
            )
        own.append(plugin.value.of_package(plugin.package))
    pipelines = compose_all(
        settings.pipelines,
        [stage.declaration for stage in own],
        field_extractor=settings.field_extractor != "off",
    )
    check_rules(settings.pipeline_rules, pipelines)
    add_labels({stage.name: stage.declaration.label for stage in own})
    return Plugins(tuple(own), pipelines)


def _check_readers() -> None:
    for reader in own_readers():
        if is_shipped(reader.media_type):
            raise ConfigError(
                f"The package {reader.package} offers a reader of {reader.media_type}, which Towpath reads itself. "
                "Use another media type."
            )


def bind_pipelines(
    plugins: Plugins, shipped: Mapping[str, Pipeline], settings: Settings, blobs: BlobStore
) -> tuple[dict[str, Pipeline], dict[str, StageEntry]]:
    """The pipelines with the functions of their stages, and all stages by key."""
    values = {table.name: table.values for table in settings.stages}
    stages = {entry.name: entry for pipeline in shipped.values() for entry in pipeline.entries}
    stages |= {entry.name: entry for entry in shipped["document"].entries}
    stages[f"{CALL}/chunk"] = next(entry for entry in shipped["call"].stages if entry.name == "chunk")
    for own in plugins.stages:
        stages[own.name] = StageEntry(own.name, adapt_stage(own, blobs, values.get(own.name, {})))
    maintenance = shipped["document"].maintenance
    pipelines = {
        name: replace(
            shipped.get(name) or Pipeline(name, 1, ()),
            stages=tuple(stages[stage.key] for stage in composed.stages),
            follow_ups=tuple(stages[stage.key] for stage in composed.follow_ups),
            maintenance=maintenance,
            run_stages=composed.run_stages(),
        )
        for name, composed in plugins.pipelines.items()
    }
    return pipelines, stages


def plugin_list(settings: Settings, plugins: Plugins) -> InstalledPipelines:
    """What `GET /stages` and `GET /pipelines` show."""
    own = [stage.declaration for stage in plugins.stages]
    stages = [
        stage
        for variants in available_stages(own, field_extractor=settings.field_extractor != "off").values()
        for stage in variants
    ]
    configured = {pipeline.name for pipeline in settings.pipelines}
    return InstalledPipelines(
        tuple(stages),
        tuple(
            ListedPipeline(
                pipeline.name,
                pipeline.stage_names,
                tuple(stage.name for stage in pipeline.follow_ups),
                "settings" if pipeline.name in configured else "towpath",
                tuple(repr(rule) for rule in settings.pipeline_rules if rule.pipeline == pipeline.name),
            )
            for pipeline in plugins.pipelines.values()
        ),
    )
