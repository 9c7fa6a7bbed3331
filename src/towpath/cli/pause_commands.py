"""Commands to pause and resume a stage or a provider."""

from __future__ import annotations

import click

from towpath.cli.options import Target, server_options
from towpath.cli.output import call_api

_KIND = click.Choice(["stage", "provider"])


@click.command()
@server_options
@click.argument("kind", type=_KIND)
@click.argument("name")
def pause(target: Target, kind: str, name: str) -> None:
    """Pause a stage or a provider for all organizations. Running jobs are not interrupted."""
    call_api(target, lambda server: server.post("/pauses", json={"kind": kind, "name": name}))
    click.echo(f"The {kind} {name} is paused.")


@click.command()
@server_options
@click.argument("kind", type=_KIND)
@click.argument("name")
def resume(target: Target, kind: str, name: str) -> None:
    """Resume a stage or a provider."""
    call_api(target, lambda server: server.remove(f"/pauses/{kind}/{name}"))
    click.echo(f"The {kind} {name} is resumed.")
