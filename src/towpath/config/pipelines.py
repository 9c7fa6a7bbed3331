"""Settings of pipelines: tables of the settings file, or JSON in an environment variable."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any, cast

_NAME = re.compile(r"[a-z][a-z0-9_-]{0,62}")


@dataclass(frozen=True, slots=True)
class PipelineSettings:
    """A pipeline named in the settings file."""

    name: str
    stages: tuple[str, ...]
    follow_ups: tuple[str, ...] = ()

    def __repr__(self) -> str:
        follow_ups = f", then {', '.join(self.follow_ups)}" if self.follow_ups else ""
        return f"{self.name}: {', '.join(self.stages)}{follow_ups}"


@dataclass(frozen=True, slots=True)
class PipelineRule:
    """Chooses the pipeline of an upload: all given conditions must hold. Patterns may contain `*` and `?`."""

    pipeline: str
    media_type: str | None = None
    name: str | None = None
    metadata: Mapping[str, str] = field(default_factory=dict[str, str])

    def matches(self, media_type: str, name: str, metadata: Mapping[str, object]) -> bool:
        if self.media_type is not None and not fnmatchcase(media_type, self.media_type):
            return False
        if self.name is not None and not fnmatchcase(name.lower(), self.name.lower()):
            return False
        return all(
            key in metadata and fnmatchcase(str(metadata[key]), pattern)
            for key, pattern in self.metadata.items()
        )

    def __repr__(self) -> str:
        conditions = {"media_type": self.media_type, "name": self.name}
        given = [f"{key} {value}" for key, value in conditions.items() if value is not None]
        given += [f"{key} = {value}" for key, value in self.metadata.items()]
        return f"{self.pipeline} if {' and '.join(given) or 'no rule before it holds'}"


@dataclass(frozen=True, slots=True)
class StageSettings:
    """The table `[stages.NAME]`: values for one own stage, as `Context.settings`."""

    name: str
    values: Mapping[str, object]


def parse_pipelines(value: object) -> tuple[PipelineSettings, ...]:
    return tuple(
        PipelineSettings(_name(name), _strings(table, "stages", required=True), _strings(table, "follow_ups"))
        for name, table in _tables(value, ("stages", "follow_ups"))
    )


def parse_rules(value: object) -> tuple[PipelineRule, ...]:
    rules = _decoded(value)
    if not isinstance(rules, Sequence) or isinstance(rules, str):
        raise ValueError("use tables [[pipeline_rules]], each with `pipeline` and conditions")
    return tuple(_rule(rule) for rule in cast("Sequence[object]", rules))


def parse_stages(value: object) -> tuple[StageSettings, ...]:
    return tuple(StageSettings(name, dict(table)) for name, table in _tables(value, None))


def _rule(value: object) -> PipelineRule:
    if not isinstance(value, Mapping):
        raise ValueError("a rule is a table")
    rule = cast("Mapping[str, Any]", value)
    _require_known(rule, ("pipeline", "media_type", "name", "metadata"))
    if "pipeline" not in rule:
        raise ValueError("a rule needs `pipeline`")
    metadata = rule.get("metadata", {})
    if not isinstance(metadata, Mapping):
        raise ValueError("`metadata` of a rule is a table of values")
    values = {str(key): str(pattern) for key, pattern in cast("Mapping[str, object]", metadata).items()}
    media_type, name = rule.get("media_type"), rule.get("name")
    return PipelineRule(
        str(rule["pipeline"]),
        None if media_type is None else str(media_type),
        None if name is None else str(name),
        values,
    )


def _tables(value: object, known: tuple[str, ...] | None) -> list[tuple[str, Mapping[str, Any]]]:
    decoded = _decoded(value)
    if isinstance(decoded, Sequence) and not decoded:
        return []
    if not isinstance(decoded, Mapping):
        raise ValueError("use one table for each name")
    tables: list[tuple[str, Mapping[str, Any]]] = []
    for name, table in cast("Mapping[str, object]", decoded).items():
        if not isinstance(table, Mapping):
            raise ValueError(f"`{name}` must be a table")
        values = cast("Mapping[str, Any]", table)
        if known is not None:
            _require_known(values, known)
        tables.append((name, values))
    return tables


def _require_known(table: Mapping[str, object], known: tuple[str, ...]) -> None:
    if unknown := sorted(set(table) - set(known)):
        raise ValueError(f"`{unknown[0]}` is not known; there are {', '.join(known)}")


def _strings(table: Mapping[str, Any], key: str, *, required: bool = False) -> tuple[str, ...]:
    values = table.get(key, ())
    if isinstance(values, str) or not isinstance(values, Sequence):
        raise ValueError(f"`{key}` must be a list of names")
    names = tuple(str(value) for value in cast("Sequence[object]", values))
    if required and not names:
        raise ValueError(f"`{key}` needs at least one stage")
    return names


def _name(name: str) -> str:
    if not _NAME.fullmatch(name):
        raise ValueError(f"the name {name!r} must be lower-case letters, digits, - and _")
    return name


def _decoded(value: object) -> object:
    return json.loads(value) if isinstance(value, str) else value
