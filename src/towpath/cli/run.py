"""Commands that run Towpath: serve, worker, migrate."""

from __future__ import annotations

import asyncio
import gc
import logging
import os
import signal
import sys

import click
import uvicorn

from towpath import app
from towpath.cli.options import Loaded, common
from towpath.config import Settings
from towpath.errors import ConfigError
from towpath.ledger import migrate as migrations
from towpath.model.ids import HOME_ORG
from towpath.search.contract import Query
from towpath.server.api import create_app
from towpath.telemetry import set_up_logging
from towpath.tracing import set_up_tracing

log = logging.getLogger(__name__)


@click.command()
@common
@click.option("--host", help="Address to serve on.")
@click.option("--port", type=int, help="Port to serve on.")
@click.option("--no-worker", is_flag=True, help="Serve only; workers run elsewhere (Postgres).")
def serve(loaded: Loaded, no_worker: bool) -> None:
    """API, page and worker in one process."""
    _set_up_telling(loaded.settings)
    if no_worker and loaded.settings.embedded:
        raise ConfigError("--no-worker needs --database: on SQLite the server is the worker.")
    asyncio.run(_serve(loaded.settings, work=not no_worker))


def _set_up_telling(settings: Settings) -> None:
    set_up_logging(settings.log_format)
    if settings.traces:
        set_up_tracing()


async def _serve(settings: Settings, *, work: bool) -> None:
    url = f"http://{settings.host}:{settings.port}"
    async with app.opened(settings, work=work, serve_url=url) as towpath:
        await _refuse_open_door(towpath)
        api = create_app(towpath.services, app.PAGE)
        config = uvicorn.Config(
            api, settings.host, settings.port, log_config=None, access_log=False, timeout_graceful_shutdown=5
        )
        server = uvicorn.Server(config)
        _answer_soon()
        if settings.log_format == "text":
            click.echo(f"Towpath serves {url}", err=True)
        warming = asyncio.create_task(_warm(towpath))
        await server.serve()
        warming.cancel()


def _answer_soon() -> None:
    """Requests share this process with work on documents, and must not wait for it longer than they need."""
    # A thread that publishes hands over five times as often as Python's own 5 ms.
    sys.setswitchinterval(0.001)
    # What was loaded at the start stays: looking through it for garbage stops everything for a tenth of a second.
    gc.collect()
    gc.freeze()


async def _warm(towpath: app.Towpath) -> None:
    """Load the model for queries, and on SQLite the vectors, so that the first to search need not wait for it."""
    if towpath.settings.embedder == "openai":
        # It has nothing to load, and asking costs.
        return
    try:
        await towpath.services.searcher.search(Query(HOME_ORG, "towpath", "vector"))
    except Exception:
        log.warning("the first search will be slow, since warming up did not work", exc_info=True)


async def _refuse_open_door(towpath: app.Towpath) -> None:
    """Beyond loopback, strangers can knock: without a key the server does not start.

    A database role that is bound to one organization at a time cannot tell; it lets nobody in without a key.
    """
    if not towpath.services.key_required or not towpath.sees_all:
        return
    living = [key for key in await towpath.services.keys.listed() if key.revoked_at is None]
    if not living:
        raise ConfigError(
            f"Serving on {towpath.settings.host} needs an API key, and there is none. Make one with "
            "`towpath keys create NAME`, or serve on 127.0.0.1."
        )


@click.command()
@common
def worker(loaded: Loaded) -> None:
    """A worker for a Postgres database. Run as many as you like."""
    _set_up_telling(loaded.settings)
    if loaded.settings.embedded:
        raise ConfigError("A separate worker needs --database: on SQLite, `towpath serve` is the worker.")
    asyncio.run(_work(loaded.settings))


async def _work(settings: Settings) -> None:
    async with app.opened(settings, work=True) as towpath:
        working = towpath.worker
        assert working is not None
        stopped = asyncio.Event()

        def stop() -> None:
            if stopped.is_set():
                # Asked twice: whatever still hangs, perhaps on a silent database, is left to its lease.
                asyncio.get_running_loop().call_later(3.0, os._exit, 1)
            working.stop()
            stopped.set()

        for number in (signal.SIGTERM, signal.SIGINT):
            asyncio.get_running_loop().add_signal_handler(number, stop)
        log.info("worker %s is at work", working.name)
        await stopped.wait()


@click.command()
@common
@click.option("--app-role", help="Postgres role that sees one organization at a time; made when it is new.")
@click.option(
    "--worker-role", help="Postgres role for servers and workers, not the owner; made when it is new."
)
def migrate(loaded: Loaded, app_role: str | None, worker_role: str | None) -> None:
    """Bring the database to the schema of this version."""
    if loaded.settings.embedded and (app_role or worker_role):
        raise ConfigError("Roles need --database: SQLite has none.")
    database = app.open_database(loaded.settings)
    try:
        roles = migrations.upgrade(database.engine, app_role=app_role, worker_role=worker_role)
    finally:
        database.close()
    click.echo("The database is up to date.")
    if roles is not None:
        click.echo(f"Rows are shown to {roles.app or 'every role'} one organization at a time, ", nl=False)
        click.echo(f"and all of them to {', '.join(sorted(roles.workers))}.")
