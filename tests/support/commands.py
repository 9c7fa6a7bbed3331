"""Asks the real command line whether it understands."""

from __future__ import annotations

from contextlib import suppress

import click

from towpath.cli.main import main


def parses(words: list[str]) -> bool:
    """Whether the command line parses; an unknown command, option or argument raises."""
    with main.make_context("towpath", list(words), resilient_parsing=False) as context:
        name, command, rest = main.resolve_command(context, [*context._protected_args, *context.args])  # pyright: ignore[reportPrivateUsage]  (where click keeps the command's own words)
        assert name is not None
        assert command is not None
        # An option such as `--example` does its work while it is parsed.
        with suppress(click.exceptions.Exit):
            command.make_context(name, rest, parent=context).close()
        return True
