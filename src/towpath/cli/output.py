"""Sends a request for a command and prints the answer as lines or as JSON."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

import click

from towpath.cli.options import Target

if TYPE_CHECKING:
    from towpath.cli.client import Api


def call_api(target: Target, request: Callable[[Api], Awaitable[Any]]) -> Any:
    """Send a request to the API and return its answer."""
    from towpath.cli import client

    return client.call(target, request)


def print_answer(answer: Any, as_json: bool, format_lines: Callable[[Any], list[str]]) -> None:
    click.echo(
        json.dumps(answer, ensure_ascii=False, indent=2) if as_json else "\n".join(format_lines(answer))
    )


def note_waiting(target: Target) -> None:
    """Say what processes the queued run, where no server is running."""
    from towpath.cli.client import server_url

    if target.settings.embedded and server_url(target) is None:
        click.echo(
            "No server is running here: `towpath serve` or `towpath submit --wait` processes it.", err=True
        )
