"""Runs a server or a worker in this process, and migrates a database."""

from __future__ import annotations

import asyncio
import logging
import os
import socket
from collections.abc import Callable, Generator
from contextlib import AsyncExitStack, contextmanager
from functools import partial

import click
import uvicorn

from towpath import bootstrap
from towpath.bootstrap.data_dir_lock import running_server
from towpath.bootstrap.settings_audit import record_settings
from towpath.bootstrap.shutdown import shutdown_signals
from towpath.cli.bind_server_socket import address_error, bind_sockets, url_of
from towpath.cli.process_tuning import tune_latency
from towpath.config import Settings
from towpath.errors import ConfigError, FolderInUse
from towpath.ledger import migrate as migrations
from towpath.log_setup import configure_logging
from towpath.model.ids import DEFAULT_ORG_ID
from towpath.search.contract import Query
from towpath.server.app import create_app
from towpath.server.client_timeouts import limited_protocol
from towpath.tracing import configure_tracing
from towpath.worker.worker import Worker

log = logging.getLogger(__name__)


def run_server(settings: Settings, *, with_worker: bool) -> None:
    """Serve until a signal stops the process."""
    _prepare_process(settings)
    asyncio.run(_serve(settings, with_worker=with_worker))


def run_worker(settings: Settings) -> None:
    """Work until a signal stops the process."""
    _prepare_process(settings)
    asyncio.run(_run_worker(settings))


def _prepare_process(settings: Settings) -> None:
    # Whatever this process writes is for its user only.
    os.umask(0o077)
    configure_logging(settings.log_format)
    if settings.traces:
        configure_tracing()


async def _serve(settings: Settings, *, with_worker: bool) -> None:
    sockets = _bind(settings)
    url = url_of(settings.host, sockets)
    async with AsyncExitStack() as stack:
        shutdown = stack.enter_context(shutdown_signals(settings.shutdown_grace_seconds))
        runtime = await stack.enter_async_context(
            bootstrap.open_runtime(settings, with_worker=with_worker, serve_url=url)
        )
        await _require_api_key(runtime)
        await record_settings(settings, runtime.services)
        api = create_app(runtime.services, bootstrap.PAGE)
        config = uvicorn.Config(
            api,
            settings.host,
            settings.port,
            http=limited_protocol(settings.header_timeout_seconds, settings.body_timeout_seconds),
            ws="none",
            proxy_headers=bool(settings.trusted_proxies),
            forwarded_allow_ips=list(settings.trusted_proxies),
            log_config=None,
            access_log=False,
        )
        # Requests that take longer, such as large uploads, are cancelled; uvicorn's type is narrower than its use.
        config.timeout_graceful_shutdown = settings.shutdown_grace_seconds  # type: ignore[assignment]
        server = _Server(config)
        server.on_listening = partial(_announce, settings, url)
        shutdown.add_callback(partial(_stop_serving, server, runtime.worker))
        # Held requests (`GET /changes`) are answered at once.
        shutdown.add_callback(lambda _now: setattr(api.state, "stopping", True))
        tune_latency()
        preload = asyncio.create_task(_preload(runtime))
        await server.serve(sockets)
        preload.cancel()


def _bind(settings: Settings) -> list[socket.socket]:
    try:
        return bind_sockets(settings.host, settings.port)
    except ConfigError:
        other = running_server(settings.data) if settings.embedded else None
        if other is not None:
            raise FolderInUse(
                f"Towpath is already running at {other} with the folder {settings.data}."
            ) from None
        raise


def _announce(settings: Settings, url: str) -> None:
    """Say where the server listens."""
    if settings.log_format == "text":
        click.echo(f"Towpath is running at {url}", err=True)
    else:
        log.info("serving at %s", url)


class _Server(uvicorn.Server):
    """A server that calls ``on_listening`` once it accepts connections, and leaves signals to `bootstrap.shutdown`.

    uvicorn raises the signal again when it has stopped, which would end the process before its worker has released
    its jobs.
    """

    on_listening: Callable[[], None] | None = None

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        try:
            await super().startup(sockets)
        except OSError as error:
            # Another program began to listen after this one had bound the address.
            raise address_error(self.config.host, self.config.port, error) from error
        if self.started and self.on_listening is not None:
            self.on_listening()

    @contextmanager
    def capture_signals(self) -> Generator[None]:
        yield


def _stop_serving(server: uvicorn.Server, worker: Worker | None, now: bool) -> None:
    """Stop API and worker at the same time, so that both share one grace period."""
    server.should_exit = True
    server.force_exit = now
    if worker is not None:
        worker.stop(now=now)


async def _preload(runtime: bootstrap.Runtime) -> None:
    """Load the embedding model for queries and, on SQLite, the vector index, before the first search."""
    if runtime.settings.embedder in ("openai", "azure-openai"):
        # Nothing to load, and a call would be paid for.
        return
    try:
        await runtime.services.search.search(Query(DEFAULT_ORG_ID, "towpath", "vector"))
    except Exception:
        log.warning("preloading failed; the first search will be slow", exc_info=True)


async def _require_api_key(runtime: bootstrap.Runtime) -> None:
    """Refuse to start on a public address while no API key exists.

    A database role that sees one organization at a time cannot list the keys; the check is skipped, and every
    request still needs a key.
    """
    if not runtime.services.key_required or not runtime.sees_all_organizations:
        return
    now = runtime.services.clock.now()
    active_keys = [key for key in await runtime.services.keys.all_keys() if key.is_active(now)]
    if not active_keys:
        raise ConfigError(
            f"Serving on {runtime.settings.host} needs an API key. Create one with "
            "`towpath keys create NAME`, or serve on 127.0.0.1."
        )


async def _run_worker(settings: Settings) -> None:
    async with AsyncExitStack() as stack:
        shutdown = stack.enter_context(shutdown_signals(settings.shutdown_grace_seconds))
        runtime = await stack.enter_async_context(bootstrap.open_runtime(settings, with_worker=True))
        worker = runtime.worker
        assert worker is not None
        shutdown.add_callback(lambda now: worker.stop(now=now))
        log.info("worker %s started", worker.name)
        tune_latency()
        await shutdown.wait()


def migrate_database(settings: Settings, *, app_role: str | None, worker_role: str | None) -> None:
    """Run the missing migrations and print the roles that see organizations."""
    database = bootstrap.open_database(settings)
    try:
        roles = migrations.upgrade(database.engine, app_role=app_role, worker_role=worker_role)
    finally:
        database.close()
    click.echo("The database is up to date.")
    if roles is not None:
        click.echo(f"Role {roles.app or '(any)'} sees one organization at a time; ", nl=False)
        click.echo(f"all organizations: {', '.join(sorted(roles.workers))}.")
