"""Creates the embedder, transcriber or analyzer of an installed package, for a setting with the value `own:NAME`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from towpath.config import OWN_PREFIX, Settings
from towpath.errors import ConfigError
from towpath.plugins import Plugin, load_plugins

#: The entry points of each setting, and what an object needs to be used.
GROUPS = {
    "embedder": "towpath.embedders",
    "transcriber": "towpath.transcribers",
    "call_analyzer": "towpath.analyzers",
}
_EMBEDDER = ("provider", "model", "dimension", "fusion_weight", "batch_limit", "batches", "embed")
_TRANSCRIBER = ("provider", "model", "parameters", "read")
_ANALYZER = ("provider", "model", "parameters", "input_hash", "analyze", "read")
_NEEDED: dict[str, Sequence[str]] = {
    "embedder": _EMBEDDER,
    "transcriber": _TRANSCRIBER,
    "call_analyzer": _ANALYZER,
}


def is_own(value: str) -> bool:
    return value.startswith(OWN_PREFIX)


def own_provider(settings: Settings, setting: str) -> Any:
    """The object of the package. What is missing raises ConfigError with the names of setting and package."""
    name = str(getattr(settings, setting)).removeprefix(OWN_PREFIX)
    plugin = _find(setting, name)
    tables = (table.values for table in settings.stages if table.name == name)
    values = next(tables, dict[str, object]())
    try:
        provider = plugin.value(values)
    except Exception as error:
        raise ConfigError(
            f"The package {plugin.package} cannot make `{setting} = {OWN_PREFIX}{name}`: "
            f"{type(error).__name__}: {error}."
        ) from error
    missing = [attribute for attribute in _NEEDED[setting] if not hasattr(provider, attribute)]
    if missing:
        raise ConfigError(
            f"The package {plugin.package} cannot be used for `{setting} = {OWN_PREFIX}{name}`: its "
            f"{type(provider).__name__} has no `{missing[0]}`. docs/guides/own-stages.md names the contracts."
        )
    return provider


def _find(setting: str, name: str) -> Plugin[Any]:
    group = GROUPS[setting]
    plugins = {plugin.name: plugin for plugin in load_plugins(group, object, "")}
    if name not in plugins:
        installed = f"Installed: {', '.join(plugins)}." if plugins else "None is installed."
        raise ConfigError(
            f"The setting `{setting} = {OWN_PREFIX}{name}` needs a package with the entry point `{name}` ({group}). "
            f"{installed}"
        )
    return plugins[name]
