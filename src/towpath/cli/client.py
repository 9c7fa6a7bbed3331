"""The API client of the commands: for a server at a URL, for the local server, or for an app in this process."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any, TypeVar
from urllib.parse import urlsplit

import httpx

from towpath.bootstrap.data_dir_lock import running_server
from towpath.cli.options import Target
from towpath.client.async_client import AsyncClient, connection_errors
from towpath.client.errors import check_response
from towpath.config import Settings
from towpath.errors import ConfigError, UserError

T = TypeVar("T")


class Api(AsyncClient):
    """The client of a command; ``has_worker``: this process also works jobs."""

    def __init__(self, http: httpx.AsyncClient, *, has_worker: bool) -> None:
        super().__init__(http=http)
        self.has_worker = has_worker

    async def put(self, path: str, **body: Any) -> Any:
        return check_response(await self.send("PUT", path, **body)).json()

    async def patch(self, path: str, **body: Any) -> Any:
        return check_response(await self.send("PATCH", path, **body)).json()

    async def remove(self, path: str) -> None:
        """Delete what any other path of the API names."""
        check_response(await self.send("DELETE", path))


def call(target: Target, request: Callable[[Api], Awaitable[T]]) -> T:
    """Open the API, send the request and return its result."""

    async def send() -> T:
        async with api(target) as server:
            return await request(server)

    return asyncio.run(send())


@asynccontextmanager
async def api(target: Target, *, with_worker: bool = False) -> AsyncGenerator[Api]:
    """Connect to the server of the target; if there is none, open the data folder or database in this process."""
    settings = target.settings
    url = server_url(target)
    if url:
        connected = httpx.AsyncClient(base_url=url, headers=_headers(), timeout=60)
        async with connected as http, connection_errors(url):
            yield Api(http, has_worker=False)
        return
    require_library(settings, create=target.create)
    from towpath import bootstrap
    from towpath.server.app import create_app

    async with bootstrap.open_runtime(settings, with_worker=with_worker) as runtime:
        transport = httpx.ASGITransport(create_app(runtime.services, None))
        base = "http://127.0.0.1"
        async with httpx.AsyncClient(
            transport=transport, base_url=base, headers=_headers(), timeout=None
        ) as http:
            yield Api(http, has_worker=with_worker)


def _headers() -> dict[str, str]:
    key = os.environ.get("TOWPATH_API_KEY")
    return {"Authorization": f"Bearer {key}"} if key else {}


def server_url(target: Target) -> str | None:
    """The address of the server to talk to; None if the command opens the data folder or the database itself."""
    if target.server is not None:
        parts = urlsplit(target.server)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ConfigError(f"--server must be an address like http://host:8000, not {target.server!r}.")
        return target.server.rstrip("/")
    return running_server(target.settings.data) if target.settings.embedded else None


def require_library(settings: Settings, *, create: bool = False) -> None:
    """Raise UserError if the data folder has no library, so that no command but a creating one makes one."""
    if create or not settings.embedded or settings.sqlite_file.exists():
        return
    # A server that was started in this folder without --data.
    inner = settings.data / Settings().data
    if (inner / settings.sqlite_file.name).exists():
        raise UserError(f"There is no library in {settings.data}, but in {inner}. Use --data {inner}.")
    raise UserError(
        f"There is no library in {settings.data}. Name the folder of your library with --data FOLDER or a server "
        "with --server URL. To create a library here, run `towpath serve`, or `towpath submit --create`."
    )
