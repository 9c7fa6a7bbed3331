"""Prints the settings: the values in effect with their sources, and an example of a settings file."""

from __future__ import annotations

import json
import textwrap
from dataclasses import Field, fields
from pathlib import Path
from typing import Any

from towpath.config import LoadedSettings, Settings, display_value
from towpath.config.profiles import PROFILES

_HEADER = """\
# Settings of Towpath, each with its default. Save this file as towpath.toml in the folder in which towpath is started,
# or name it with --config. Remove the `#` in front of a setting to change it. An environment variable, such as
# TOWPATH_PORT for `port`, takes precedence over this file, and an option of a command over both.
"""
_WIDTH = 116


def effective_settings(loaded: LoadedSettings) -> dict[str, dict[str, object]]:
    """Each setting's value for printing, and its source."""
    return {
        item.name: {"value": display_value(loaded.settings, item.name), "source": loaded.sources[item.name]}
        for item in fields(loaded.settings)
    }


def settings_lines(loaded: LoadedSettings) -> list[str]:
    """One line per setting: name, value, source."""
    return [
        f"{name:42} {row['value']!s:28} {row['source']}" for name, row in effective_settings(loaded).items()
    ]


def profile_lines(loaded: LoadedSettings) -> list[str]:
    """The profiles with their values, the chosen one marked."""
    lines = [f"Profiles (chosen: {loaded.settings.profile or 'none'}):"]
    for name, profile in PROFILES.items():
        mark = "*" if name == loaded.settings.profile else " "
        values = ", ".join(f"{setting} = {toml_value(value)}" for setting, value in profile.values.items())
        lines.append(f"{mark} {name}: {profile.help} ({values})")
    return lines


def example_file() -> str:
    """A TOML file of all settings as comments, made from the help texts."""
    return _HEADER + "".join(f"\n{_example(item)}" for item in fields(Settings))


def _example(item: Field[Any]) -> str:
    text = str(item.metadata["help"])
    if item.metadata["choices"]:
        text += f" One of: {', '.join(item.metadata['choices'])}."
    if item.metadata["postgres"] is not ...:
        text += f" Default on Postgres: {toml_value(item.metadata['postgres'])}."
    comment = textwrap.fill(text, _WIDTH, initial_indent="# ", subsequent_indent="# ", break_on_hyphens=False)
    return f"{comment}\n#{item.name} = {toml_value(item.default)}\n"


def toml_value(value: object) -> str:
    """The value as TOML. TOML has no null: the text "none" stands for it."""
    if value is None:
        return '"none"'
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, tuple):
        return json.dumps(list(value))  # pyright: ignore[reportUnknownArgumentType]  (a setting's tuple holds strings)
    # TOML's basic strings have JSON's escapes.
    return json.dumps(value.as_posix() if isinstance(value, Path) else str(value), ensure_ascii=False)
