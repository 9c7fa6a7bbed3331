"""The root command `towpath`: imports a command's module when the command is used, and prints errors as messages."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

import click

from towpath.cli.options import RootOptions
from towpath.errors import DatabaseUnavailable, StorageUnavailable, UserError
from towpath.version import version_text

#: Each command in the order of `towpath --help`: its module in this package, and its name there.
COMMANDS: Mapping[str, tuple[str, str]] = {
    "serve": ("server_commands", "serve"),
    "submit": ("document_commands", "submit"),
    "list": ("organize_commands", "list_documents"),
    "show": ("document_commands", "show"),
    "status": ("document_commands", "status"),
    "search": ("document_commands", "search"),
    "ask": ("ask_commands", "ask"),
    "content": ("content_commands", "content"),
    "fields": ("content_commands", "fields"),
    "chunks": ("content_commands", "chunks"),
    "transcript": ("content_commands", "transcript"),
    "analysis": ("content_commands", "analysis"),
    "connections": ("content_commands", "connections"),
    "export": ("content_commands", "export"),
    "versions": ("document_version_commands", "versions"),
    "open": ("document_commands", "open_page"),
    "edit": ("organize_commands", "edit"),
    "rerun": ("document_commands", "rerun"),
    "delete": ("document_commands", "delete"),
    "jobs": ("job_commands", "jobs"),
    "runs": ("job_commands", "runs"),
    "retry": ("job_commands", "retry"),
    "cancel": ("job_commands", "cancel"),
    "schemas": ("schema_commands", "schemas"),
    "pause": ("pause_commands", "pause"),
    "resume": ("pause_commands", "resume"),
    "config": ("config_commands", "config"),
    "model": ("model_commands", "model"),
    "check": ("admin_commands", "check"),
    "ocr-languages": ("ocr_commands", "ocr_languages"),
    "keys": ("admin_commands", "key_commands"),
    "webhooks": ("webhook_commands", "webhooks"),
    "prune": ("admin_commands", "prune"),
    "backup": ("admin_commands", "backup"),
    "restore": ("admin_commands", "restore"),
    "import": ("admin_commands", "import_export"),
    "migrate": ("server_commands", "migrate"),
    "import-sqlite": ("admin_commands", "import_sqlite"),
    "worker": ("server_commands", "worker"),
    "mcp": ("mcp_commands", "mcp"),
    "completion": ("config_commands", "completion"),
    "stages": ("pipeline_commands", "stages"),
    "pipelines": ("pipeline_commands", "pipelines"),
    "new": ("pipeline_commands", "new"),
    "drill": ("drill_commands", "drill"),
}


class RootCommand(click.Group):
    """A group whose commands are imported one by one."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module, attribute = COMMANDS[cmd_name]
        return getattr(import_module(f"towpath.cli.{module}"), attribute)

    def main(self, *args: Any, **kwargs: Any) -> Any:
        # `python -m towpath` has the same name, also for completion.
        if kwargs.get("prog_name") is None:
            kwargs["prog_name"] = "towpath"
        try:
            return super().main(*args, **kwargs)
        except (UserError, DatabaseUnavailable, StorageUnavailable) as error:
            click.echo(f"towpath: {error}", err=True)
            sys.exit(2)


def _print_version(context: click.Context, _option: click.Parameter, given: bool) -> None:
    if given and not context.resilient_parsing:
        click.echo(f"towpath {version_text()}")
        context.exit()


@click.group(cls=RootCommand, context_settings={"help_option_names": ["-h", "--help"], "show_default": True})
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_version,
    help="Show the version.",
)
@click.option("--data", type=click.Path(path_type=Path, file_okay=False), help="Data folder.")
@click.option("--database", help="Postgres address; without it, SQLite in the data folder.")
@click.option("--config", type=click.Path(path_type=Path, dir_okay=False), help="Settings file (TOML).")
@click.option("--server", help="Address of a server, such as https://towpath.example.com.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def main(
    context: click.Context,
    data: Path | None,
    database: str | None,
    config: Path | None,
    server: str | None,
    as_json: bool,
) -> None:
    """Durable processing of documents and call recordings.

    The options may stand before or after the command.
    """
    context.obj = RootOptions(data, database, config, server, as_json)
