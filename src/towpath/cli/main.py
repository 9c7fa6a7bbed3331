"""The root command `towpath`: imports a command's module when the command is used, and prints errors as messages."""

from __future__ import annotations

import errno
import sys
from collections.abc import Mapping
from difflib import get_close_matches
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import click

from towpath.cli.options import RootOptions
from towpath.errors import DatabaseUnavailable, StorageUnavailable, UserError
from towpath.version import version_text


class _Entry(NamedTuple):
    """A command: its module in this package, its name there, and what `towpath --help` says about it."""

    module: str
    attribute: str
    summary: str


#: The sections of `towpath --help` with their commands.
SECTIONS: Mapping[str, Mapping[str, _Entry]] = {
    "Documents": {
        "submit": _Entry("document_commands", "submit", "Submit files or folders for processing."),
        "list": _Entry("organize_commands", "list_documents", "List documents, with filters."),
        "show": _Entry("document_commands", "show", "Show a document with its stages and costs."),
        "status": _Entry("document_commands", "status", "Show the status of a document and its stages."),
        "search": _Entry("document_commands", "search", "Search documents and calls."),
        "ask": _Entry("ask_commands", "ask", "Answer a question from the documents, with citations."),
        "content": _Entry("content_commands", "content", "Print the text of a document as markdown."),
        "fields": _Entry("content_commands", "fields", "List the fields of a document, such as dates."),
        "chunks": _Entry("content_commands", "chunks", "Print the chunks of a document in order."),
        "transcript": _Entry("content_commands", "transcript", "Print the transcript of a call."),
        "analysis": _Entry("content_commands", "analysis", "Print the analysis of a call."),
        "connections": _Entry("content_commands", "connections", "List similar passages of other documents."),
        "versions": _Entry(
            "document_version_commands", "versions", "List or compare versions of a document."
        ),
        "open": _Entry("document_commands", "open_page", "Open the page or a document in the browser."),
        "edit": _Entry("organize_commands", "edit", "Change title, collection, tags, metadata or fields."),
        "rerun": _Entry("document_commands", "rerun", "Process a document again."),
        "delete": _Entry("document_commands", "delete", "Delete a document."),
        "export": _Entry("content_commands", "export", "Write documents, or the library, to a folder."),
    },
    "Processing": {
        "jobs": _Entry("job_commands", "jobs", "List jobs with their errors and what they wait for."),
        "runs": _Entry("job_commands", "runs", "List the runs of a document with their events."),
        "retry": _Entry("job_commands", "retry", "Retry a job, a document, or all failed jobs."),
        "cancel": _Entry("job_commands", "cancel", "Cancel a run."),
        "pause": _Entry("pause_commands", "pause", "Pause a stage or a provider."),
        "resume": _Entry("pause_commands", "resume", "Resume a paused stage or provider."),
        "stages": _Entry("pipeline_commands", "stages", "List the stages."),
        "pipelines": _Entry("pipeline_commands", "pipelines", "List the pipelines and their rules."),
        "schemas": _Entry("schema_commands", "schemas", "List, show, store and delete field schemas."),
        "new": _Entry("pipeline_commands", "new", "Write a package with a stage of your own."),
    },
    "Servers and workers": {
        "serve": _Entry("server_commands", "serve", "Run the API, the page and a worker."),
        "worker": _Entry("server_commands", "worker", "Run a worker for a Postgres database."),
        "migrate": _Entry("server_commands", "migrate", "Migrate the database to this version."),
        "mcp": _Entry("mcp_commands", "mcp", "Serve the library to MCP clients."),
        "keys": _Entry("admin_commands", "key_commands", "Create, list and revoke API keys."),
        "webhooks": _Entry("webhook_commands", "webhooks", "Create, list, delete and replay webhooks."),
    },
    "Administration": {
        "config": _Entry("config_commands", "config", "Show the settings, or an example of a settings file."),
        "check": _Entry("admin_commands", "check", "Show the settings and verify the stored files."),
        "model": _Entry("model_commands", "model", "Show or change the embedding model of the library."),
        "ocr-languages": _Entry("ocr_commands", "ocr_languages", "List the languages that OCR can read."),
        "prune": _Entry("admin_commands", "prune", "Delete old runs and unused cached answers."),
        "backup": _Entry("admin_commands", "backup", "Write the library to a tar file."),
        "restore": _Entry("admin_commands", "restore", "Create a library from a backup."),
        "import": _Entry("admin_commands", "import_export", "Create a library from an exported folder."),
        "import-sqlite": _Entry("admin_commands", "import_sqlite", "Copy a data folder into Postgres."),
        "drill": _Entry("drill_commands", "drill", "Test a private instance with kills and other faults."),
        "completion": _Entry("config_commands", "completion", "Print the script for completion in a shell."),
    },
}
COMMANDS: Mapping[str, _Entry] = {
    name: entry for commands in SECTIONS.values() for name, entry in commands.items()
}


class RootCommand(click.Group):
    """A group whose commands are imported one by one."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        entry = COMMANDS[cmd_name]
        return getattr(import_module(f"towpath.cli.{entry.module}"), entry.attribute)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        # Completion resolves what was typed so far, and must not fail.
        if not ctx.resilient_parsing and args and args[0] not in COMMANDS and not args[0].startswith("-"):
            similar = get_close_matches(args[0], COMMANDS, n=3)
            meant = f" Did you mean {' or '.join(map(repr, similar))}?" if similar else ""
            ctx.fail(f"There is no command {args[0]!r}.{meant}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The sections of the commands; no command is imported for it."""
        width = max(map(len, COMMANDS))
        for title, commands in SECTIONS.items():
            with formatter.section(title):
                formatter.write_dl([(name.ljust(width), entry.summary) for name, entry in commands.items()])

    def main(self, *args: Any, **kwargs: Any) -> Any:
        # `python -m towpath` has the same name, also for completion.
        if kwargs.get("prog_name") is None:
            kwargs["prog_name"] = "towpath"
        try:
            return super().main(*args, **kwargs)
        except (UserError, DatabaseUnavailable, StorageUnavailable) as error:
            click.echo(f"towpath: {error}", err=True)
            sys.exit(2)
        except OSError as error:
            if (message := _file_error(error)) is None:
                raise
            click.echo(f"towpath: {message}", err=True)
            sys.exit(2)


def _file_error(error: OSError) -> str | None:
    """A sentence for an error of a file or folder that the user named; None for other errors of the system."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        place = f" for {error.filename}" if error.filename else ""
        return f"There is no space left on the disk{place}. Free some, or name a path on another disk."
    if error.filename is None:
        return None
    denied = error.errno in (errno.EACCES, errno.EPERM, errno.EROFS)
    advice = "Check the permissions, or name another path." if denied else "Name another path."
    return f"{error.filename} cannot be used: {error.strerror}. {advice}"


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
