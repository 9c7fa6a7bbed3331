"""Lists every public name: tables, columns, endpoints, API fields, settings, CLI commands, events and metrics."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any, cast

import click

from towpath.cli.main import main
from towpath.config import Settings
from towpath.ledger.tables import metadata
from towpath.model.event import EventKind

ROOT = Path(__file__).resolve().parents[2]


def table_names() -> set[str]:
    return {table.name for table in metadata.sorted_tables}


def column_names() -> set[str]:
    return {column.name for table in metadata.sorted_tables for column in table.columns}


def setting_names() -> set[str]:
    return {item.name for item in fields(Settings)}


def event_names() -> set[str]:
    return {str(kind) for kind in EventKind}


def metric_names() -> set[str]:
    """Names in the monitoring guide; tests/api/test_metrics.py checks that it has every exported one."""
    guide = (ROOT / "docs" / "guides" / "monitoring.md").read_text("utf-8")
    return set(re.findall(r"\btowpath_[a-z_]+", guide))


def commands() -> list[tuple[str, click.Command]]:
    """Every command with its full name, groups before their members."""
    return [("towpath", main), *_members("towpath", main)]


def command_help() -> list[tuple[str, str]]:
    """Every command with the text that its `--help` prints."""
    return [
        (name, command.get_help(click.Context(command, info_name=name, terminal_width=120)))
        for name, command in commands()
    ]


def api_document() -> dict[str, Any]:
    return cast("dict[str, Any]", json.loads((ROOT / "ui" / "openapi.json").read_text("utf-8")))


def endpoint_names() -> set[str]:
    """The words of the paths, with the names of their parameters and query parameters."""
    names: set[str] = set()
    for path, methods in api_document()["paths"].items():
        names.update(part.strip("{}") for part in path.split("/") if part)
        for operation in methods.values():
            names.update(item["name"] for item in operation.get("parameters", []) if item["in"] == "query")
    return names


def api_field_names() -> set[str]:
    schemas = api_document()["components"]["schemas"]
    return {name for schema in schemas.values() for name in schema.get("properties", {})}


def _members(prefix: str, group: click.Group) -> Iterator[tuple[str, click.Command]]:
    context = click.Context(group)
    for name in sorted(group.list_commands(context)):
        command = group.get_command(context, name)
        assert command is not None
        yield f"{prefix} {name}", command
        if isinstance(command, click.Group):
            yield from _members(f"{prefix} {name}", command)
