"""Loads what installed packages offer by entry points, such as `towpath.stages` and `towpath.readers`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Generic, TypeVar

from towpath.errors import ConfigError
from towpath.model.plugin_reader import OwnReader

T = TypeVar("T")

STAGES = "towpath.stages"
READERS = "towpath.readers"


@dataclass(frozen=True, slots=True)
class Plugin(Generic[T]):
    """An object that a package offers."""

    name: str
    package: str
    version: str
    value: T


def load_plugins(group: str, expected: type[T], hint: str) -> tuple[Plugin[T], ...]:
    """The objects of a group, sorted by name. A package that cannot be loaded raises ConfigError with its name.

    ``hint`` says how such an object is made.
    """
    plugins: dict[str, Plugin[T]] = {}
    for point in sorted(set(entry_points(group=group)), key=lambda point: (point.name, point.value)):
        plugin = _load(point, group, expected, hint)
        other = plugins.get(plugin.name)
        if other is not None and (other.package, other.value) != (plugin.package, plugin.value):
            raise ConfigError(
                f"Two packages offer `{plugin.name}` ({group}): {other.package} and {plugin.package}. "
                "Uninstall one of them, or rename its entry point."
            )
        plugins[plugin.name] = plugin
    return tuple(plugins.values())


def _load(point: EntryPoint, group: str, expected: type[T], hint: str) -> Plugin[T]:
    package = "(unknown)" if point.dist is None else point.dist.name
    version = "" if point.dist is None else point.dist.version
    where = f"the entry point `{point.name} = {point.value}` ({group}) of the package {package}"
    try:
        value = point.load()
    except Exception as error:
        raise ConfigError(
            f"Towpath cannot load {where}: {type(error).__name__}: {error}. Correct the package, or uninstall it "
            f"with `pip uninstall {package}`."
        ) from error
    if not isinstance(value, expected):
        raise ConfigError(f"Towpath cannot use {where}: it is a {type(value).__name__}. {hint}")
    return Plugin(point.name, package, version, value)


@cache
def own_readers() -> tuple[OwnReader, ...]:
    """The readers that packages offer. Read once for each process."""
    hint = "Decorate the function with `towpath.sdk.reader`."
    return tuple(
        replace(plugin.value, package=plugin.package) for plugin in load_plugins(READERS, OwnReader, hint)
    )


def own_reader(media_type: str) -> OwnReader | None:
    """The reader that a package offers for this media type, if any."""
    return next((reader for reader in own_readers() if reader.media_type == media_type), None)
