"""The root command: flags that every command shares, and errors as sentences instead of tracebacks."""

from __future__ import annotations

import sys
from typing import Any

import click

from towpath import __version__
from towpath.cli import ask, drill, keep, move, run, submit
from towpath.errors import DatabaseUnavailable, StorageUnavailable, UserError


class Commands(click.Group):
    def main(self, *args: Any, **kwargs: Any) -> Any:
        try:
            return super().main(*args, **kwargs)
        except (UserError, DatabaseUnavailable, StorageUnavailable) as error:
            click.echo(f"towpath: {error}", err=True)
            sys.exit(2)


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "show_default": True})
@click.version_option(__version__, prog_name="towpath")
def main() -> None:
    """Durable processing of documents and calls: nothing is lost, nothing is paid for twice."""


for command in (
    run.serve,
    run.worker,
    submit.submit,
    ask.status,
    ask.runs,
    ask.search,
    ask.transcript,
    ask.connections,
    ask.jobs,
    ask.retry,
    ask.cancel,
    ask.delete,
    keep.keys,
    keep.check,
    keep.prune,
    run.migrate,
    move.move,
    drill.drill,
):
    main.add_command(command)
