"""The examples for production say only what the program understands."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

import click
import pytest
import yaml

from tests.support.commands import parses
from towpath.config import PREFIX, load

ROOT = Path(__file__).parents[2]
COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "compose.yaml").read_text("utf-8"))
OURS = {name: service for name, service in COMPOSE["services"].items() if service.get("image") == "towpath"}
UNITS = sorted((ROOT / "deploy").glob("*.service"))


@pytest.mark.parametrize("name", OURS)
def test_compose_gives_command_lines_and_settings_that_exist(name: str) -> None:
    service = OURS[name]
    environment: dict[str, str] = service["environment"]

    assert parses(service["command"])
    # As in a file, where an unknown name is an error.
    loaded = load({key.removeprefix(PREFIX).lower(): value for key, value in environment.items()}, {})
    assert not loaded.settings.embedded
    assert loaded.settings.blob_storage is not None


def test_compose_has_what_production_has() -> None:
    assert COMPOSE["services"]["worker"]["deploy"]["replicas"] == 2
    assert {"db", "blobs", "server", "worker", "migrate"} == set(COMPOSE["services"])


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.name)
def test_units_start_commands_that_exist(unit: Path) -> None:
    lines = unit.read_text("utf-8").splitlines()
    [started] = [line.removeprefix("ExecStart=") for line in lines if line.startswith("ExecStart=")]
    set_here = [line.removeprefix("Environment=") for line in lines if line.startswith("Environment=")]

    assert parses(shlex.split(started)[1:])
    load(
        {
            name.removeprefix(PREFIX).lower(): value
            for name, value in (line.split("=", 1) for line in set_here)
        },
        {},
    )


def test_an_unknown_option_would_be_noticed() -> None:
    with pytest.raises(click.UsageError):
        parses(["serve", "--no-wroker"])
