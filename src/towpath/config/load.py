"""Reads the settings from profile < file < environment (`TOWPATH_…`) < flags, with the source of each value."""

from __future__ import annotations

import os
import tomllib
import types
from collections.abc import Collection, Mapping
from dataclasses import dataclass, fields
from difflib import get_close_matches
from pathlib import Path
from typing import Union, get_args, get_origin, get_type_hints

from towpath.config.profiles import PROFILES
from towpath.config.settings import Settings
from towpath.config.validate import validate
from towpath.errors import ConfigError

PREFIX = "TOWPATH_"
FILE = "towpath.toml"

#: Renamed settings: old name → new name. An old name is refused in file, environment and flags.
RENAMED: Mapping[str, str] = {
    "analyst": "call_analyzer",
    "analysis_patience_seconds": "analysis_timeout_seconds",
    "call_turn_seconds": "call_slice_seconds",
    "transcript_patience_seconds": "transcript_timeout_seconds",
    "transcript_polls": "transcript_max_polls",
}

#: Environment variables without the prefix that name a setting.
ALIASES: Mapping[str, str] = {"SPEECHKIT_POLL_INTERVAL_MS": "speechkit_poll_interval_ms"}
#: Variables with these beginnings are read as settings; an unknown one stops the start.
_ALIAS_PREFIXES = tuple({f"{alias.partition('_')[0]}_" for alias in ALIASES})
#: Variables that are no settings: the settings file, the key and address of a server, and one of the package's build.
_OTHER_VARIABLES = frozenset({"config", "api_key", "url", "repository"})
#: Variables that only tests read.
_TEST_PREFIX = "test_"


@dataclass(frozen=True, slots=True)
class LoadedSettings:
    """The settings, and the source of each value."""

    settings: Settings
    sources: Mapping[str, str]


def load(
    flags: Mapping[str, object], environment: Mapping[str, str] | None = None, file: Path | None = None
) -> LoadedSettings:
    """Read the settings. A flag of None counts as not given."""
    env = os.environ if environment is None else environment
    path = file or Path(env.get(f"{PREFIX}CONFIG", FILE))
    values: dict[str, object] = {}
    sources: dict[str, str] = {}
    known = {item.name: item for item in fields(Settings)}
    layers: list[tuple[str, Mapping[str, object]]] = [
        (f"file {path}", _read_file(path, required=file is not None)),
        ("environment", _read_environment(env, known)),
        ("flag", {name: value for name, value in flags.items() if value is not None}),
    ]
    for source, layer in layers:
        for name, value in layer.items():
            if name in RENAMED:
                raise ConfigError(f"The setting `{name}` ({source}) was renamed: use `{RENAMED[name]}`.")
            if name in known:
                values[name] = _convert(name, value, source)
                sources[name] = source
            else:
                similar = get_close_matches(name, known, n=3)
                meant = f" Did you mean {' or '.join(f'`{item}`' for item in similar)}?" if similar else ""
                raise ConfigError(
                    f"There is no setting `{name}` ({source}).{meant} `towpath config` lists all settings."
                )
    _apply_profile(values, sources)
    on_postgres = values.get("database") is not None
    for name, item in known.items():
        if name not in values:
            sources[name] = "default"
            if on_postgres and item.metadata["postgres"] is not ...:
                values[name] = item.metadata["postgres"]
                sources[name] = "default on Postgres"
    settings = Settings(**values)  # pyright: ignore[reportArgumentType]  (each value was converted to its field's type)
    validate(settings)
    return LoadedSettings(settings, sources)


def _apply_profile(values: dict[str, object], sources: dict[str, str]) -> None:
    """Add the values of the chosen profile that were not set explicitly."""
    name = values.get("profile")
    if name is None:
        return
    if name not in PROFILES:
        raise ConfigError(f"The setting `profile` must be one of {', '.join(PROFILES)}, not {name!r}.")
    for setting, value in PROFILES[str(name)].values.items():
        if setting not in values:
            values[setting] = value
            sources[setting] = f"profile {name}"


def _read_environment(environment: Mapping[str, str], known: Collection[str]) -> dict[str, object]:
    """The settings in the environment, by name. An unknown variable raises ConfigError with the nearest name."""
    values: dict[str, object] = {}
    for variable in sorted(environment):
        value = environment[variable]
        if variable in ALIASES:
            # The name with the prefix takes precedence: it is sorted after its alias.
            values[ALIASES[variable]] = value
        elif variable.startswith(PREFIX):
            name = variable.removeprefix(PREFIX).lower()
            if name in known or name in RENAMED:
                values[name] = value
            elif name not in _OTHER_VARIABLES and not name.startswith(_TEST_PREFIX):
                raise _unknown_variable(variable, known)
        elif variable.startswith(_ALIAS_PREFIXES):
            raise _unknown_variable(variable, known)
    return values


def _unknown_variable(variable: str, known: Collection[str]) -> ConfigError:
    # Compared without the prefix, which would make all names alike.
    settings = get_close_matches(variable.removeprefix(PREFIX).lower(), known, n=1)
    nearest = [
        *get_close_matches(variable, ALIASES, n=1, cutoff=0.9),
        *(f"{PREFIX}{name.upper()}" for name in settings),
    ]
    advice = f"Did you mean {nearest[0]}?" if nearest else "`towpath config` lists the settings."
    return ConfigError(f"The environment variable {variable} names no setting. {advice}")


def _read_file(path: Path, *, required: bool) -> Mapping[str, object]:
    if not path.exists():
        if required:
            raise ConfigError(f"The settings file {path} does not exist.")
        return {}
    try:
        return tomllib.loads(path.read_text("utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"The settings file {path} is not valid TOML: {error}") from error


def _convert(name: str, value: object, source: str) -> object:
    parse = {item.name: item.metadata["parse"] for item in fields(Settings)}[name]
    if parse is not None:
        try:
            return parse(value)
        except ValueError as error:
            raise ConfigError(f"The setting `{name}` ({source}) is wrong: {error}.") from error
    hint = get_type_hints(Settings)[name]
    options = get_args(hint) if get_origin(hint) in (Union, types.UnionType) else (hint,)
    if type(None) in options and (value is None or str(value).lower() in ("", "none")):
        return None
    target = next(option for option in options if option is not type(None))
    try:
        if get_origin(target) is tuple:
            parts = value.split(",") if isinstance(value, str) else value
            return tuple(str(part).strip() for part in parts if str(part).strip())  # pyright: ignore[reportGeneralTypeIssues, reportUnknownVariableType, reportUnknownArgumentType]  (a list from TOML; anything else raises TypeError)
        if target is bool:
            return _boolean(value)
        return target(value)
    except (TypeError, ValueError) as error:
        expected = _EXPECTED.get(get_origin(target) or target)
        problem = f"must be {expected}, not {value!r}" if expected else f"cannot be {value!r}: {error}"
        raise ConfigError(f"The setting `{name}` ({source}) {problem}.") from error


#: What a setting of a type must be, for people.
_EXPECTED = {int: "a whole number", float: "a number", bool: "true or false", tuple: "a list"}


def _boolean(value: object) -> bool:
    word = str(value).lower()
    if word in ("1", "true", "yes", "on"):
        return True
    if word in ("0", "false", "no", "off"):
        return False
    raise ValueError(value)
