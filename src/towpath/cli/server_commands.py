"""Commands that run or prepare a server: serve, worker, migrate."""

from __future__ import annotations

import click

from towpath.cli.options import LoadedSettings, settings_options
from towpath.errors import ConfigError


@click.command()
@settings_options
@click.option("--host", help="Address to serve on.")
@click.option("--port", type=int, help="Port to serve on; 0 chooses a free one.")
@click.option(
    "--no-worker",
    is_flag=True,
    help="Serve without a worker; run workers separately (Postgres).",
)
def serve(loaded: LoadedSettings, no_worker: bool) -> None:
    """Run the API, the page and a worker in one process."""
    if no_worker and loaded.settings.embedded:
        raise ConfigError("--no-worker needs --database: on SQLite the server runs the worker.")
    from towpath.cli.serve import run_server

    run_server(loaded.settings, with_worker=not no_worker)


@click.command()
@settings_options
def worker(loaded: LoadedSettings) -> None:
    """Run a worker for a Postgres database. Any number may run at the same time."""
    if loaded.settings.embedded:
        raise ConfigError("A separate worker needs --database: on SQLite, `towpath serve` runs the worker.")
    from towpath.cli.serve import run_worker

    run_worker(loaded.settings)


@click.command()
@settings_options
@click.option("--app-role", help="Postgres role that sees one organization at a time; created if missing.")
@click.option(
    "--worker-role", help="Postgres role for servers and workers, not the owner; created if missing."
)
def migrate(loaded: LoadedSettings, app_role: str | None, worker_role: str | None) -> None:
    """Migrate the database to the schema of this version."""
    if loaded.settings.embedded and (app_role or worker_role):
        raise ConfigError("--app-role and --worker-role need --database: SQLite has no roles.")
    from towpath.cli.serve import migrate_database

    migrate_database(loaded.settings, app_role=app_role, worker_role=worker_role)
